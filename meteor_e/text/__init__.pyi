from meteor_e.text.capitals import lowercase as lowercase
from meteor_e.text.normalization import Normalizer as Normalizer
