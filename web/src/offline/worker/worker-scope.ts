/** An event that keeps the worker running until its work is done. */
interface ExtendableEvent extends Event {
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  readonly respondWith: (answer: Promise<Response>) => void;
}

interface PageMessageEvent extends ExtendableEvent {
  readonly data: unknown;
}

interface PushEvent extends ExtendableEvent {
  readonly data: { readonly text: () => string } | null;
}

/** The end of a subscription by its push service. */
export interface PushChangeEvent extends ExtendableEvent {
  readonly oldSubscription?: PushSubscription | null;
}

interface NotificationEvent extends ExtendableEvent {
  readonly notification: Notification;
}

interface WindowClient {
  readonly url: string;
  readonly focus: () => Promise<unknown>;
}

interface WorkerEvents {
  readonly install: ExtendableEvent;
  readonly activate: ExtendableEvent;
  readonly fetch: FetchEvent;
  readonly message: PageMessageEvent;
  readonly push: PushEvent;
  readonly pushsubscriptionchange: PushChangeEvent;
  readonly notificationclick: NotificationEvent;
}

/** Parts of the global scope of a service worker that the type library for pages lacks. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    readonly claim: () => Promise<void>;
    readonly matchAll: (options: { readonly type: 'window' }) => Promise<readonly WindowClient[]>;
    readonly openWindow: (path: string) => Promise<unknown>;
  };
  readonly cookieStore?: {
    readonly get: (name: string) => Promise<object | null>;
    readonly set: (name: string, value: string) => Promise<void>;
  };
  readonly addEventListener: <Type extends keyof WorkerEvents>(
    type: Type,
    listener: (event: WorkerEvents[Type]) => void,
  ) => void;
}

export const scope = globalThis as unknown as WorkerScope;

/** Replaced by the build (`web/build/service-worker.ts`). */
declare const builtClient: {
  /** Changes with every file of the client. */
  readonly version: string;
  /** Paths of the files to keep. */
  readonly files: readonly string[];
};

export const build = builtClient;
