"""The parts of the guards that `.ci/public-api` and `.ci/ratchets` are made of."""
