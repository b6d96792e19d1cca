export const droppedDeadLetters = `
  -- Number of dead letters of a subscriber that were dropped in favour of newer ones.
  CREATE TABLE dropped_letters (follower TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
`;
