import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthenticationProvider, Identity } from './authentication-provider.port.js';

/** The two users that everybody knows, for trying the service out. */
const knownUsers = [
  evaluationUser({ userName: 'admin', groups: [], roles: ['ADMIN'] }, 'adminPass'),
  evaluationUser({ userName: 'user', groups: [], roles: ['USER'] }, 'userPass'),
];

export const evaluationUsers: AuthenticationProvider = {
  scheme: 'inMemory',
  isRemote: false,
  async authenticate({ userName, password }) {
    const credentials = digest(userName, password);
    // Every user is compared, so that the time tells nothing.
    const [matching] = knownUsers.filter((user) => timingSafeEqual(user.credentials, credentials));
    return matching ? { kind: 'accepted', identity: matching.identity } : { kind: 'unknown' };
  },
  async close() {
    // There is nothing to close.
  },
};

function evaluationUser(identity: Identity, password: string) {
  return { identity, credentials: digest(identity.userName, password) };
}

function digest(userName: string, password: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([userName, password]))
    .digest();
}
