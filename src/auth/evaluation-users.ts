import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthenticationProvider, Identity } from './authentication-provider.port.js';

/** Two users with publicly known passwords, for evaluating the service. */
const knownUsers = [
  evaluationUser({ userName: 'admin', groups: [], roles: ['ADMIN'] }, 'adminPass'),
  evaluationUser({ userName: 'user', groups: [], roles: ['USER'] }, 'userPass'),
];

export const evaluationUsers: AuthenticationProvider = {
  name: 'inMemory',
  isRemote: false,
  async authenticate({ userName, password }) {
    const credentials = digest(userName, password);
    // All users are compared in constant time, so that the response time reveals nothing.
    const [matching] = knownUsers.filter((user) => timingSafeEqual(user.credentials, credentials));
    return matching ? { kind: 'accepted', identity: matching.identity } : { kind: 'unknown' };
  },
  async recheck(userName) {
    const user = knownUsers.find(({ identity }) => identity.userName === userName);
    return user ? { kind: 'open', groups: user.identity.groups } : { kind: 'closed' };
  },
  async close() {
    // Nothing is open.
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
