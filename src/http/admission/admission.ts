import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairQueue, type FairQueueLimits, QueueFull, type QueueTicket, type Rest } from '../../kernel/fair-queue.js';
import { FairTurns } from '../../kernel/fair-turns.js';
import { Fault } from '../../kernel/fault.js';
import { inBytes, limitFault } from '../../kernel/limit.js';
import { ArrivingBodies, type ArrivingBody } from './arriving-bodies.js';
import { type Client, toClient } from './client.js';
import { OpenResponses } from './open-responses.js';
import { RecentClients } from './recent-clients.js';
import { turnOrDisconnect } from './turn-or-disconnect.js';

/**
 * The kinds of work that share something scarce. `search`: the search threads; `page`: these too, for the pieces of a
 * long page while it is sent; `feed`: the thread that renders
 * feeds; `thumbnail`: the processes that make thumbnails; `read`: the event loop and open files; `shortRead`: the event
 * loop; `write` and `longWrite`: the one writer and the event loop; `upload`: open files and disk.
 */
export type AdmissionClass =
  | 'search'
  | 'page'
  | 'feed'
  | 'thumbnail'
  | 'read'
  | 'shortRead'
  | 'write'
  | 'longWrite'
  | 'upload';

export interface AdmissionOptions {
  readonly searchThreads: number;
  readonly maxWaitingPerClient: number;
  readonly maxWaitingLongWritesPerClient: number;
  /** How many files can be read at the same time, and the setting that says so; undefined: no such limit. */
  readonly downloads: { readonly limit: number; readonly setting: string } | undefined;
  /** The limit of one JSON body. */
  readonly maxJsonBytes: number;
  /** Resolves when everything written before the call is in the search index. */
  readonly indexed: () => Promise<void>;
  /**
   * The name of the user who sent a request; undefined when the user is not signed in. A promise only when the name has
   * to be read.
   */
  readonly userNameOf: (request: FastifyRequest) => string | undefined | Promise<string | undefined>;
}

/** Larger bodies belong to the class `longWrite`. */
export const longBodyBytes = 65_536;
/** All clients together may have this many times the waiting requests of one. */
const clientsWithFullQueues = 10;
/** All clients together may have this many times the arriving bodies of one, in bytes. */
const clientsWithArrivingBodies = 4;
const retryAfterSeconds = 2;
/** How many times as many short reads as other requests may wait. */
const shortReadFactor = 10;
/** A long write waits for the index to take the one before for this long at most. */
const indexLimitMs = 10_000;

/**
 * While other clients use the service, a client keeps its slot after each request, for this many times as long as the
 * request was worked on. A client that sends such requests without pause therefore takes only a limited part of the
 * time of threads and processors. `longResponse`: for its turns on the event loop.
 */
const restFactors = { search: 1, page: 2, feed: 4, read: 2, longResponse: 4, longWrite: 99 } as const;
/** A slot rests for this long at most. */
const maxRestMs = 1_000;
/** How long after its last request a client counts as active. */
const activeMs = 5_000;

interface Queue {
  readonly queue: FairQueue;
  /** Name of the waiting requests, for messages. */
  readonly requests: string;
  /** The setting of the limit for one client. */
  readonly setting: string;
}

/** Admits requests in an order that is fair to clients: each class of requests has its own queue. */
export class Admission {
  private readonly queues: Readonly<Record<AdmissionClass, Queue>>;
  private readonly arriving: ArrivingBodies;
  private readonly openResponses: OpenResponses;
  private readonly recent = new RecentClients();
  /** Turns of long responses, by the keys of their clients. */
  readonly turns: FairTurns;

  constructor(private readonly options: AdmissionOptions) {
    const { searchThreads, maxWaitingPerClient, maxWaitingLongWritesPerClient } = options;
    const queue = (requests: string, slots: number, slotsPerClient: number, restFactor = 0): Queue => ({
      queue: new FairQueue(limits(slots, slotsPerClient, maxWaitingPerClient), this.restWith(restFactor)),
      requests,
      setting: 'maxWaitingPerClient',
    });
    this.queues = {
      search: queue('searches', searchThreads, Math.max(1, searchThreads - 1), restFactors.search),
      feed: queue('feeds', 2, 1, restFactors.feed),
      // A client has one at a time, so that one process is left for other clients, however long its images take.
      thumbnail: queue('thumbnails', 2, 1),
      read: queue('reads of lists and files', 8, 2, restFactors.read),
      // Each open response has one such piece at most, and must not be cut off because the queue is full.
      page: {
        ...queue('pieces of pages', 0, 0),
        queue: new FairQueue(
          limits(Math.max(1, searchThreads - 1), 1, Number.POSITIVE_INFINITY),
          this.restWith(restFactors.page),
        ),
      },
      // A page of the browser client sends dozens at the same time, which take neither memory nor time while they wait.
      shortRead: {
        queue: new FairQueue(limits(16, 4, maxWaitingPerClient * shortReadFactor)),
        requests: 'reads',
        setting: `maxWaitingPerClient, times ${shortReadFactor}`,
      },
      write: queue('writes', 256, 128),
      longWrite: {
        queue: new FairQueue(limits(2, 1, maxWaitingLongWritesPerClient), this.restWith(restFactors.longWrite)),
        requests: `writes of more than ${longBodyBytes / 1_024} kB`,
        setting: 'maxWaitingLongWritesPerClient',
      },
      upload: queue('uploads', 64, 16),
    };
    this.turns = new FairTurns(this.restWith(restFactors.longResponse));
    this.openResponses = new OpenResponses({
      ofOneClient: maxWaitingPerClient,
      ofAllClients: maxWaitingPerClient * clientsWithFullQueues,
      downloads: options.downloads?.limit,
    });
    const bytesPerClient = maxWaitingLongWritesPerClient * options.maxJsonBytes;
    this.arriving = new ArrivingBodies({ bytesPerClient, bytes: bytesPerClient * clientsWithArrivingBodies });
  }

  /** Makes the function that says how long the slots of a queue rest. */
  private restWith(factor: number): Rest {
    return (client, workedMs) =>
      factor > 0 && this.recent.hasOther(client, activeMs) ? Math.min(factor * workedMs, maxRestMs) : 0;
  }

  /**
   * Counts a body that is about to arrive, for the client of the request.
   * @param onRefused is called with a Fault busy `request.too-many-arriving` when the body has to make room for others
   */
  async receive(request: FastifyRequest, onRefused: (fault: Fault) => void): Promise<ArrivingBody> {
    const client = await this.clientOf(request);
    return this.arriving.start(client.key, () => onRefused(this.tooManyArriving(client)));
  }

  private clientOf(request: FastifyRequest): Client | Promise<Client> {
    const { context } = request;
    if (context.client) return context.client;
    const keep = (userName: string | undefined) => (context.client = toClient(userName, request));
    const userName = this.options.userNameOf(request);
    return userName instanceof Promise ? userName.then(keep) : keep(userName);
  }

  /**
   * Counts a response that is produced while its client reads it, until its end.
   * @throws Fault busy `request.too-many-open`
   */
  openResponse({ request, raw }: FastifyReply, { isDownload = false } = {}): void {
    const client = request.context.client ?? toClient(undefined, request);
    const close = this.openResponses.open(client.key, { isDownload });
    if (!close) throw this.tooManyOpen(client);
    if (raw.destroyed) close();
    else raw.once('close', close);
  }

  private tooManyOpen({ description }: Client): Fault {
    const refused = 'Too many long responses and downloads of this client are not read to their ends.';
    const amount = `${this.openResponses.limits.ofOneClient} at the same time, or fewer while many clients read,`;
    const { downloads } = this.options;
    const setting = `maxWaitingPerClient${downloads ? `; of all downloads ${downloads.setting}` : ''}`;
    const limit = { amount, setting, countedFor: description };
    return limitFault('busy', 'request.too-many-open', { refused, limit }, { retryAfterSeconds });
  }

  private tooManyArriving({ description }: Client): Fault {
    const limit = {
      amount: `${inBytes(this.arriving.limits.bytesPerClient)} at the same time, and less while many clients send`,
      setting: 'maxWaitingLongWritesPerClient, times maxEntrySize',
      countedFor: description,
    };
    const refused = 'The bodies that arrive from this client are too large together; this one was not stored.';
    return limitFault('busy', 'request.too-many-arriving', { refused, limit }, { retryAfterSeconds });
  }

  /**
   * Refuses a long write whose client has too many of them waiting, before its body is read.
   * @param bytes of the body, as the request says
   * @throws Fault busy `request.too-many-waiting`
   */
  async requireRoom(request: FastifyRequest, bytes: number): Promise<void> {
    if (bytes <= longBodyBytes) return;
    const client = await this.clientOf(request);
    const { longWrite } = this.queues;
    if (!longWrite.queue.hasRoom(client.key)) throw toFault(new QueueFull('client'), longWrite, client);
  }

  /**
   * Takes a ticket in the queue of a class, for the client of the request. A promise only when the client has to be
   * found out.
   * @throws Fault busy `request.too-many-waiting`
   */
  enter(request: FastifyRequest, admissionClass: AdmissionClass): QueueTicket | Promise<QueueTicket> {
    const client = this.clientOf(request);
    return client instanceof Promise
      ? client.then((known) => this.enterAs(known, admissionClass))
      : this.enterAs(client, admissionClass);
  }

  private enterAs(client: Client, admissionClass: AdmissionClass): QueueTicket {
    const classQueue = this.queues[admissionClass];
    this.recent.note(client.key);
    try {
      const { takeSlot, turn, leave } = classQueue.queue.enter(client.key);
      return {
        takeSlot,
        leave,
        turn: (patience) =>
          turn(patience).catch((error: unknown) => {
            throw toFault(error, classQueue, client);
          }),
      };
    } catch (error) {
      throw toFault(error, classQueue, client);
    }
  }

  /**
   * Gives a ticket back after a success. A long write keeps its slot until its text is in the search index: until then,
   * searches read the text itself, so that many of them would delay the searches of all clients.
   */
  leaveAfterSuccess({ leave }: QueueTicket, admissionClass: AdmissionClass): void {
    if (admissionClass !== 'longWrite') {
      leave();
      return;
    }
    const limit = sleep(indexLimitMs, undefined, { ref: false });
    Promise.race([this.options.indexed(), limit]).then(leave, leave);
  }

  /**
   * Runs part of the work for a request when it is the turn of its client.
   * @throws Fault busy `request.too-many-waiting`; invalid `request.aborted` when the client disconnects before
   */
  async inTurn<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    admissionClass: AdmissionClass,
    work: () => Promise<T>,
  ): Promise<T> {
    const ticket = await this.enter(request, admissionClass);
    try {
      await turnOrDisconnect(ticket, reply);
      const result = await work();
      this.leaveAfterSuccess(ticket, admissionClass);
      return result;
    } catch (error) {
      ticket.leave();
      throw error;
    }
  }
}

function limits(slots: number, slotsPerClient: number, waitingPerClient: number): FairQueueLimits {
  return { slots, slotsPerClient, waitingPerClient, waiting: waitingPerClient * clientsWithFullQueues };
}

function toFault(error: unknown, { queue, requests, setting }: Queue, client: Client): unknown {
  if (!(error instanceof QueueFull)) return error;
  const { waitingPerClient } = queue.limits;
  return new Fault(
    'busy',
    'request.too-many-waiting',
    `Too many ${requests} of ${client.description} are waiting. The limit for one client is ${waitingPerClient} (setting ${setting}), and less while many clients wait. Wait for the responses before sending more.`,
    { retryAfterSeconds },
  );
}
