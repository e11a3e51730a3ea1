from meteor_e_vectors.contextual.encoder import (
    Encoder as Encoder,
    open_encoder as open_encoder,
    with_outputs as with_outputs,
)
from meteor_e_vectors.contextual.store import encoder_layers as encoder_layers, encoder_paths as encoder_paths
