return { words = {} }
