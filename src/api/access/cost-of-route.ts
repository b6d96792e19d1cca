import type { RouteOptions } from 'fastify';
import type { Cost } from '../../http/admission/cost.js';
import { writes } from './authorize-request.js';

/**
 * Returns the declared cost of a route, or else `write` if it writes and `read` if it does not. Undefined: its requests
 * do not wait. Signing in has separate limits.
 */
export function costOf(route: RouteOptions): Cost | undefined {
  const { cost, access } = route.config ?? {};
  if (cost !== undefined) return cost === 'none' ? undefined : cost;
  if (access === 'open') return undefined;
  return writes(route) ? 'write' : 'read';
}
