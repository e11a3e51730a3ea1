from meteor_e_contextual.encoder import Encoder as Encoder, with_outputs as with_outputs
from meteor_e_contextual.store import (
    encoder_layers as encoder_layers,
    encoder_paths as encoder_paths,
    open_encoder as open_encoder,
)
