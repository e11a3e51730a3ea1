from meteor_e_vectors.contextual.encoder import (
    Encoder as Encoder,
    encode_outputs as encode_outputs,
    open_encoder as open_encoder,
)
from meteor_e_vectors.contextual.store import encoder_folder as encoder_folder, read_description as read_description
