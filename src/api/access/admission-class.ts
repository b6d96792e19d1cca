import type { RouteOptions } from 'fastify';
import type { RouteClass } from '../../http/admission/admit-requests.js';
import { writes } from './authorize-request.js';

/**
 * Returns the class of requests that a route belongs to: what it declares, otherwise `write` for a route that writes and
 * `shortRead` for one that reads. Signing in has limits of its own.
 */
export function admissionClassOf(route: RouteOptions): RouteClass | undefined {
  const { config } = route;
  if (config?.admission !== undefined) return config.admission === 'none' ? undefined : config.admission;
  if (config?.access === 'open') return undefined;
  return writes(route) ? 'write' : 'shortRead';
}
