export const droppedDeadLetters = `
  -- How many dead letters of a subscriber were dropped in favour of newer ones.
  CREATE TABLE dropped_letters (follower TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
`;
