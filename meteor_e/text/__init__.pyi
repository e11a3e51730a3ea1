from meteor_e.text.normalization import lowercase as lowercase
from meteor_e.text.normalization import Normalizer as Normalizer
