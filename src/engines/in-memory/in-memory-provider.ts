import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../auth/principal.js';
import type { AuthenticationProvider } from '../../auth/provider.port.js';

/** The two users that everybody knows, for trying the service out. */
const evaluationUsers = [
  evaluationUser({ userName: 'admin', roles: ['ADMIN'] }, 'adminPass'),
  evaluationUser({ userName: 'user', roles: ['USER'] }, 'userPass'),
];

export const inMemoryProvider: AuthenticationProvider = {
  scheme: 'inMemory',
  async authenticate({ userName, password }) {
    const credentials = digest(userName, password);
    // Every user is compared, so that the time tells nothing.
    const matching = evaluationUsers.filter((user) => timingSafeEqual(user.credentials, credentials));
    return matching[0]?.principal;
  },
};

function evaluationUser(principal: Principal, password: string) {
  return { principal, credentials: digest(principal.userName, password) };
}

function digest(userName: string, password: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([userName, password]))
    .digest();
}
