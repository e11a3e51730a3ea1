from meteor_e_vectors.contextual.encoder import (
    Encoder as Encoder,
    open_encoder as open_encoder,
    with_outputs as with_outputs,
)
from meteor_e_vectors.contextual.store import encoder_folder as encoder_folder, read_description as read_description
