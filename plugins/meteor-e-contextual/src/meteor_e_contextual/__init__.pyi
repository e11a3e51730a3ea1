from meteor_e_contextual.encoder import Encoder as Encoder
from meteor_e_contextual.store import encoder_paths as encoder_paths, open_encoder as open_encoder
