from meteor_e.chains.chain import OWN_FUNCTION_WORDS as OWN_FUNCTION_WORDS
from meteor_e.chains.config import load_chain as load_chain
from meteor_e.chains.lookup import find_language as find_language
from meteor_e.chains.paths import chain_with_paths as chain_with_paths
from meteor_e.chains.settings import apply_settings as apply_settings
from meteor_e.chains.texts import LanguageText as LanguageText, language_text as language_text, pack_text as pack_text
