from meteor_e.languages.files import own_tasks as own_tasks
