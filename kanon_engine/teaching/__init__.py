"""Steps of algorithms, studies, reductions and lessons: all that explains, on top of the engine."""
