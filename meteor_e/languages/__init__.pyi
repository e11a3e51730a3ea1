from meteor_e.languages.files import named_languages as named_languages, own_tasks as own_tasks
