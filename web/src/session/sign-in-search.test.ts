import { expect, test } from 'vitest';
import { signInSearch } from './sign-in-search.ts';

test.each(['/', '/entries/42?query=a', '/administration/tokens'])('%s is accepted as a way back', (returnTo) => {
  expect(signInSearch({ returnTo })).toEqual({ returnTo });
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '/\t/evil.example', ''])(
  '%j is refused: it could lead to another site',
  (returnTo) => {
    expect(signInSearch({ returnTo })).toEqual({});
  },
);
