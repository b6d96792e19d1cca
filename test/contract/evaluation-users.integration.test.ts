import { describe } from 'vitest';
import { evaluationUsers } from '../../src/auth/evaluation-users.js';
import { authenticationSuite } from './authentication.suite.js';

describe('the authentication provider inMemory', () =>
  authenticationSuite({
    name: 'inMemory',
    open: async () => ({
      provider: evaluationUsers,
      user: { userName: 'user', password: 'userPass' },
      close: () => evaluationUsers.close(),
    }),
  }));
