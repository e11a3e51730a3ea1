from meteor_e_tables.frames import FrameScorer as FrameScorer
from meteor_e_tables.portable import PortableMetric as PortableMetric
