import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthenticationProvider, Identity } from './authentication-provider.port.js';

/** User names and publicly known passwords, for evaluating the service. */
export const evaluationPasswords = [
  { userName: 'user', password: 'userPass' },
  { userName: 'admin', password: 'adminPass' },
] as const;

const knownUsers = evaluationPasswords.map(({ userName, password }) => ({
  identity: { userName, groups: [], roles: [userName === 'admin' ? 'ADMIN' : 'USER'] } satisfies Identity,
  credentials: digest(userName, password),
}));

export const evaluationUsers: AuthenticationProvider = {
  name: 'inMemory',
  isRemote: false,
  async authenticate({ userName, password }) {
    const credentials = digest(userName, password);
    // All users are compared, in constant time, so that the response time reveals nothing.
    const [matching] = knownUsers.filter((user) => timingSafeEqual(user.credentials, credentials));
    return matching ? { kind: 'accepted', identity: matching.identity } : { kind: 'unknown' };
  },
  async recheck(userName) {
    const user = knownUsers.find(({ identity }) => identity.userName === userName);
    return user ? { kind: 'open', groups: user.identity.groups } : { kind: 'closed' };
  },
  async close() {
    // There are no connections to close.
  },
};

function digest(userName: string, password: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([userName, password]))
    .digest();
}
