import { rateLimit, sessionLimits } from './negotiation.js';
import { inKilobytes, limitError, type StompError } from './stomp-error.js';

const eachConnection = 'each connection';
const inSeconds = (ms: number): string => `${ms / 1_000} s`;

/** The errors of clients that exceed a limit of their session. */
export const sessionFaults = {
  tooMuchBeforeSignIn: (): StompError =>
    limitError('Too much arrived during the sign-in.', inKilobytes(sessionLimits.waitingBytes), eachConnection),
  lateConnect: (): StompError =>
    limitError('CONNECT did not arrive in time.', inSeconds(sessionLimits.connectMs), eachConnection),
  /** @param ms twice the agreed interval */
  lateHeartBeat: (ms: number): StompError =>
    limitError('No frame or heart-beat arrived in time.', inSeconds(ms), 'this connection, as agreed with CONNECT'),
  lateFrame: (): StompError =>
    limitError('The end of a frame did not arrive in time.', inSeconds(sessionLimits.frameMs), 'each frame'),
  tooFast: (): StompError => limitError('Too many frames in a short time.', rateLimit, eachConnection),
};
