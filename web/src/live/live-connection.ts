import { useEffect, useRef, useSyncExternalStore } from 'react';
import { rootPath } from '../app/root-path.ts';
import { parseFrame, stompFrame } from './stomp-frame.ts';

export type LiveState = 'connecting' | 'live' | 'off';

/** Message from the server: an entry was created, or the one with this id was changed. */
export type LiveMessage =
  | { readonly kind: 'created' }
  | { readonly kind: 'updated'; readonly id: number }
  /** The connection was down or late, so that messages may have been missed. */
  | { readonly kind: 'reconnected' };

type Listener = (message: LiveMessage) => void;

const heartBeatMs = 30_000;
const firstDelayMs = 1_000;
const maxDelayMs = 30_000;
/** Name under which the server confirms the subscription. */
const subscribed = 'subscribed';

/**
 * One WebSocket for the page. Server-Sent Events are unsuitable: over HTTP/1.1 a browser has six connections to a host
 * for all of its tabs, and an open stream occupies one of them.
 */
class LiveConnection {
  state: LiveState = 'connecting';
  /**
   * Time of the last message after which there may be new entries: one was created, or messages may have been missed.
   */
  newsMs = 0;
  private readonly listeners = new Set<Listener>();
  private readonly stateListeners = new Set<() => void>();
  private socket: WebSocket | undefined;
  private delayMs = firstDelayMs;
  private mayHaveMissed = false;
  private timers: ReturnType<typeof setTimeout>[] = [];
  private heardAt = 0;

  start(): void {
    this.connect();
    addEventListener('online', () => this.reconnectNow());
    addEventListener('pageshow', ({ persisted }) => persisted && this.reconnectNow());
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  watchState = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  };

  readState = (): LiveState => this.state;

  reconnectNow(): void {
    if (this.state === 'live') return;
    this.delayMs = firstDelayMs;
    this.connect();
  }

  private connect(): void {
    this.stopTimers();
    this.socket?.close();
    const url = new URL(`${rootPath}/web-socket`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url, ['v12.stomp']);
    this.socket = socket;
    socket.onopen = () =>
      socket.send(stompFrame('CONNECT', { 'accept-version': '1.2', host: location.host, 'heart-beat': '30000,30000' }));
    socket.onmessage = ({ data }) => {
      this.heardAt = Date.now();
      this.receive(socket, String(data));
    };
    socket.onclose = () => {
      if (this.socket === socket) this.retryLater();
    };
  }

  private receive(socket: WebSocket, data: string): void {
    const frame = parseFrame(data);
    if (frame === undefined) return;
    if (frame.command === 'CONNECTED') {
      const destination = `${rootPath}/web-socket/messages`;
      socket.send(stompFrame('SUBSCRIBE', { id: '0', destination, receipt: subscribed }));
      this.keepAlive(socket);
      this.delayMs = firstDelayMs;
    } else if (frame.command === 'RECEIPT') {
      // No message is missed after this.
      this.setState('live');
      if (this.mayHaveMissed) this.announce({ kind: 'reconnected' });
      this.mayHaveMissed = false;
    } else if (frame.command === 'MESSAGE') this.announce(toMessage(frame.body));
  }

  private announce(message: LiveMessage | undefined): void {
    if (message && message.kind !== 'updated') this.newsMs = Date.now();
    if (message) for (const listener of this.listeners) listener(message);
  }

  /** Sends heartbeats, and gives up a silent connection: a laptop that slept does not notice that it was closed. */
  private keepAlive(socket: WebSocket): void {
    const timer = setInterval(() => {
      if (Date.now() - this.heardAt > 2.5 * heartBeatMs) socket.close();
      else socket.send('\n');
    }, heartBeatMs * 0.8);
    this.timers.push(timer);
  }

  private retryLater(): void {
    this.stopTimers();
    this.mayHaveMissed = true;
    this.setState('off');
    const timer = setTimeout(() => this.connect(), this.delayMs * (0.75 + Math.random() / 2));
    this.timers.push(timer);
    this.delayMs = Math.min(this.delayMs * 2, maxDelayMs);
  }

  private stopTimers(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }

  private setState(state: LiveState): void {
    if (this.state === state) return;
    this.state = state;
    for (const listener of this.stateListeners) listener();
  }
}

function toMessage(body: string): LiveMessage | undefined {
  try {
    const { messageType, payload } = JSON.parse(body) as { messageType?: string; payload?: unknown };
    if (messageType === 'NEW_LOG_ENTRY') return { kind: 'created' };
    if (messageType === 'LOG_ENTRY_UPDATED') return { kind: 'updated', id: Number(payload) };
  } catch {
    // Messages of another version are ignored.
  }
  return undefined;
}

const connection = new LiveConnection();

export function startLive(): void {
  connection.start();
}

/** Calls the listener with each new state as long as the page is open. */
export function watchLive(listener: (state: LiveState) => void): void {
  connection.watchState(() => listener(connection.state));
}

/** Connects without waiting for the next attempt. */
export function reconnectLive(): void {
  connection.reconnectNow();
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(connection.watchState, connection.readState);
}

/** Whether there may be entries that were created after this time. */
export function hasNewsSince(ms: number): boolean {
  return connection.newsMs > ms;
}

/** Calls the listener for each message; returns a function that removes the listener. */
export function listenLive(listener: Listener): () => void {
  return connection.listen(listener);
}

/** Calls the listener for each message while the component is mounted. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => connection.listen((message) => latest.current(message)), []);
}
