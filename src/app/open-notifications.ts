import type { FastifyBaseLogger } from 'fastify';
import { OpenStreams } from '../api/live/live.routes.js';
import type { Config } from '../config/settings.js';
import type { Storage } from '../engines/storage.port.js';
import { ClientsByAddress } from '../http/connections/connections-per-address.js';
import { WebSockets } from '../http/connections/web-sockets.js';
import type { RequestMetrics } from '../http/metrics.js';
import { LiveFeed } from '../notifications/live/live-feed.js';
import { frameLimits } from '../notifications/stomp/frame.js';
import type { FollowDeps } from '../notifications/subscribers/delivery-worker.js';
import { Followers } from '../notifications/subscribers/subscribers.js';
import type { Closers } from './cleanup-stack.js';
import { configuredFollower } from './open-subscriber.js';

/** For clients that are told of changes as they happen. */
export async function openLive(config: Config, storage: Storage, metrics: RequestMetrics, logger: FastifyBaseLogger) {
  const feed = await LiveFeed.start(storage, (message, error) => logger.error({ err: error }, message));
  const byAddress = new ClientsByAddress(config.maxLiveClientsPerAddress);
  const webSockets = new WebSockets({
    maxConnections: config.maxLiveConnections,
    byAddress,
    // A larger frame is answered with an ERROR frame before its connection is closed; one in larger messages is not.
    maxMessageBytes: 2 * frameLimits.bytes,
    subprotocols: ['v12.stomp', 'v11.stomp', 'v10.stomp'],
  });
  const streams = new OpenStreams(config.maxChangeStreams, byAddress);
  metrics.gauge('logbook_live_connections', 'Open WebSocket connections.', () => webSockets.count);
  metrics.gauge('logbook_change_streams', 'Open streams of changes.', () => streams.count);
  return { feed, webSockets, streams };
}

/** Those outside who are told of changes, from their own places in the feed. */
export async function openFollowers(
  config: Config,
  deps: Omit<FollowDeps, 'zone' | 'linkOf' | 'warn'>,
  logger: FastifyBaseLogger,
  closers: Closers,
): Promise<Followers> {
  const { rootPath, publicUrl } = config;
  const followers = await Followers.start(
    {
      ...deps,
      zone: config.timeZone,
      linkOf: (entryId) => (publicUrl === '' ? '' : `${publicUrl}${rootPath}/logs/${entryId}`),
      warn: (details, message) => logger.warn(details, message),
    },
    await Promise.all(config.followers.map((setting) => configuredFollower(setting, deps.clock))),
  );
  closers.push(() => followers.stop());
  return followers;
}
