import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type EnterOptions,
  FairQueue,
  type FairQueueLimits,
  type QueueTicket,
  type Rest,
} from '../../kernel/fair-queue.js';
import { FairTurns } from '../../kernel/fair-turns.js';
import { Fault } from '../../kernel/fault.js';
import { inBytes, limitFault } from '../../kernel/limit.js';
import { ArrivingBodies, type ArrivingBody } from './arriving-bodies.js';
import { clientOf, clientOfRequest, describeClient } from './client.js';
import type { Cost } from './cost.js';
import { OpenResponses } from './open-responses.js';
import { RecentClients } from './recent-clients.js';
import { turnOrDisconnect } from './turn-or-disconnect.js';

/**
 * Kinds of work with a queue: the costs of routes, and three more. `page`: reading the next chunk of a long page;
 * `thumbnail`: making a thumbnail; `longWrite`: a write with a long body.
 */
export type Work = Cost | 'page' | 'thumbnail' | 'longWrite';

export interface AdmissionOptions {
  readonly searchThreads: number;
  readonly maxWaitingPerClient: number;
  readonly maxWaitingLongWritesPerClient: number;
  /** Maximum number of files read at the same time, and the setting that limits it; undefined: no limit. */
  readonly downloads: { readonly limit: number; readonly setting: string } | undefined;
  /** Maximum size of one JSON body. */
  readonly maxJsonBytes: number;
  /** Resolves when everything written before the call is in the search index. */
  readonly indexed: () => Promise<void>;
  /**
   * Returns the name of the user who sent a request; undefined when the user is not signed in. Returns a promise only
   * when the name has to be read.
   */
  readonly userNameOf: (request: FastifyRequest) => string | undefined | Promise<string | undefined>;
}

/** Size in bytes above which a body makes its write a long one. */
export const longBodyBytes = 65_536;
/** Ratio of the waiting requests allowed for all clients together to those allowed for one client. */
const clientsWithFullQueues = 10;
/** Ratio of the arriving bytes allowed for all clients together to those allowed for one client. */
const clientsWithArrivingBodies = 4;
const retryAfterSeconds = 2;
/**
 * Factor by which more reads and short writes may wait than other requests: a page of the browser client sends dozens
 * at the same time, and the programs of a facility send thousands when a run begins.
 */
const waitingShort = 10;
/** Weight of the smallest write while it waits: its request takes memory, too. */
const minWriteWeight = 1 / 16;
/**
 * Ratio of the waiting short writes allowed for all clients to those of one client: their bodies are held in memory.
 */
const clientsWithWaitingWrites = 2;
/** Maximum number of short writes of one client at the same time: together, they are committed with one flush. */
const writesPerClient = 16;
/**
 * The same limit while other clients use the service, so that a commit that another client waits for has few other
 * entries.
 */
const writesPerClientAmongOthers = 4;
/** Maximum time for which a finished long write keeps its slot because its text is not in the index yet. */
const indexLimitMs = 10_000;

/**
 * Ratio of the time for which a client's slot rests after a request to the duration of the request, while other clients
 * use the service. A client thus gets at most a third of the time of a slot, except with long requests: `maxRestMs`
 * limits the rest after them.
 */
const restFactor = 2;
/** Maximum time for which a slot rests. */
const maxRestMs = 1_000;
/** Time after its last request for which a client counts as active. */
const activeMs = 5_000;

/**
 * Returns the weight of a write while it waits. Small bodies weigh less, so that more of them may wait. The weight of a
 * long write is 1.
 */
export function writeWeight(bodyBytes: number): number {
  return Math.min(1, Math.max(minWriteWeight, bodyBytes / longBodyBytes));
}

interface WaitingLimit {
  /** Maximum number of waiting requests of one client. */
  readonly waiting: number;
  /** Name of the setting that determines `waiting`, for messages. */
  readonly setting: string;
  /** Ratio of the waiting requests allowed for all clients together to `waiting`. */
  readonly clients?: number;
}

/** Admits requests in an order that is fair to clients: each kind of work has its own queue. */
export class Admission {
  private readonly queues: Readonly<Record<Work, FairQueue>>;
  private readonly arriving: ArrivingBodies;
  private readonly openResponses: OpenResponses;
  private readonly recent = new RecentClients();
  private readonly rest: Rest = (client, workedMs) =>
    this.hasOthers(client) ? Math.min(restFactor * workedMs, maxRestMs) : 0;
  /** Rest after a long write, whose text keeps the storage and the index busy after the response. */
  private readonly restAfterLongWrite: Rest = (client) => (this.hasOthers(client) ? maxRestMs : 0);
  private readonly leaving: QueueTicket[] = [];
  /** Turns of long responses, by their clients. */
  readonly turns = new FairTurns(this.rest);

  constructor(private readonly options: AdmissionOptions) {
    const { searchThreads, maxWaitingPerClient, maxWaitingLongWritesPerClient } = options;
    const allButOne = Math.max(1, searchThreads - 1);
    const plain = { waiting: maxWaitingPerClient, setting: 'maxWaitingPerClient' };
    const short = { waiting: waitingShort * plain.waiting, setting: `${plain.setting}, times ${waitingShort}` };
    const writes = { ...short, setting: `${short.setting}; up to ${1 / minWriteWeight} times as many small ones` };
    const longWrites = { waiting: maxWaitingLongWritesPerClient, setting: 'maxWaitingLongWritesPerClient' };
    const longWrite = `writes of more than ${longBodyBytes / 1_024} kB`;
    const writesOf = (client: string) => (this.hasOthers(client) ? writesPerClientAmongOthers : writesPerClient);
    this.queues = {
      read: this.queue('reads', 16, 4, short),
      download: this.queue('downloads', 8, 2, plain),
      search: this.queue('searches', searchThreads, allButOne, plain),
      write: this.queue('writes', 256, writesOf, { ...writes, clients: clientsWithWaitingWrites }),
      upload: this.queue('uploads', 64, 16, plain),
      // A page or an entry shows several curves; one client leaves slots for the others while a source is slow.
      device: this.queue('requests for devices', 16, 4, plain),
      // Each open response waits for at most one chunk, and must not be cut off because the queue is full.
      page: this.queue('pieces of pages', allButOne, 1, { ...plain, waiting: Number.POSITIVE_INFINITY }),
      // One at a time per client leaves a process free for other clients, even while large images are processed.
      thumbnail: this.queue('thumbnails', 2, 1, plain),
      longWrite: this.queue(longWrite, 2, 1, longWrites, this.restAfterLongWrite),
    };
    this.openResponses = new OpenResponses({
      ofOneClient: maxWaitingPerClient,
      ofAllClients: maxWaitingPerClient * clientsWithFullQueues,
      downloads: options.downloads?.limit,
    });
    const bytesPerClient = maxWaitingLongWritesPerClient * options.maxJsonBytes;
    this.arriving = new ArrivingBodies({ bytesPerClient, bytes: bytesPerClient * clientsWithArrivingBodies });
  }

  private hasOthers(client: string): boolean {
    return this.recent.hasOther(client, activeMs);
  }

  /** @param requests name of the waiting requests, for messages */
  private queue(
    requests: string,
    slots: number,
    slotsPerClient: FairQueueLimits['slotsPerClient'],
    { waiting, setting, clients = clientsWithFullQueues }: WaitingLimit,
    rest = this.rest,
  ): FairQueue {
    const limits = { slots, slotsPerClient, waitingPerClient: waiting, waiting: waiting * clients };
    const refuse = (client: string) =>
      new Fault(
        'busy',
        'request.too-many-waiting',
        `Too many ${requests} of ${describeClient(client)} are waiting. The limit for one client is ${waiting} (setting ${setting}), and lower while many clients wait. Wait for the responses before sending more.`,
        { retryAfterSeconds },
      );
    return new FairQueue(limits, rest, (_full, client) => refuse(client));
  }

  /**
   * Counts a body that is about to arrive, for the client of the request.
   * @param onRefused is called with a Fault busy `request.too-many-arriving` when the body has to make room for others
   */
  async receive(request: FastifyRequest, onRefused: (fault: Fault) => void): Promise<ArrivingBody> {
    const client = await this.clientOf(request);
    return this.arriving.start(client, () => onRefused(this.tooManyArriving(client)));
  }

  private clientOf(request: FastifyRequest): string | Promise<string> {
    const { context } = request;
    if (context.client !== undefined) return context.client;
    const keep = (userName: string | undefined) => (context.client = clientOf(userName, request));
    const userName = this.options.userNameOf(request);
    return userName instanceof Promise ? userName.then(keep) : keep(userName);
  }

  /** Counts a response that is produced while its client reads it, until the response ends. */
  openResponse({ request, raw }: FastifyReply, { isDownload = false } = {}): void {
    const client = clientOfRequest(request);
    const close = this.openResponses.open(client, { isDownload });
    if (!close) throw this.tooManyOpen(client);
    if (raw.destroyed) close();
    else raw.once('close', close);
  }

  private tooManyOpen(client: string): Fault {
    const refused = 'This client has too many unfinished downloads and long responses.';
    const amount = `${this.openResponses.limits.ofOneClient} at the same time, or fewer while many clients read,`;
    const { downloads } = this.options;
    const setting = `maxWaitingPerClient${downloads ? `; of all downloads ${downloads.setting}` : ''}`;
    const limit = { amount, setting, countedFor: describeClient(client) };
    return limitFault('busy', 'request.too-many-open', { refused, limit }, { retryAfterSeconds });
  }

  private tooManyArriving(client: string): Fault {
    const limit = {
      amount: `${inBytes(this.arriving.limits.bytesPerClient)} at the same time, and less while many clients send`,
      setting: 'maxWaitingLongWritesPerClient, times maxEntrySize',
      countedFor: describeClient(client),
    };
    const refused = 'The bodies that this client is sending are too large in total; this one was not stored.';
    return limitFault('busy', 'request.too-many-arriving', { refused, limit }, { retryAfterSeconds });
  }

  /**
   * Refuses a long write whose client has too many of them waiting, before its body is read.
   * @param bytes size of the body as the request states it
   * @throws Fault busy `request.too-many-waiting`
   */
  async requireRoom(request: FastifyRequest, bytes: number): Promise<void> {
    if (bytes > longBodyBytes) this.queues.longWrite.requireRoom(await this.clientOf(request));
  }

  /**
   * Takes a ticket in a queue for the client of the request. Returns a promise only when the user has to be looked up
   * first.
   * @throws Fault busy `request.too-many-waiting`; the turn of the ticket throws it too
   */
  enter(request: FastifyRequest, work: Work, options?: EnterOptions): QueueTicket | Promise<QueueTicket> {
    const client = this.clientOf(request);
    const enterAs = (name: string) => this.enterAs(name, work, options);
    return client instanceof Promise ? client.then(enterAs) : enterAs(client);
  }

  private enterAs(client: string, work: Work, options?: EnterOptions): QueueTicket {
    this.recent.note(client);
    return this.queues[work].enter(client, options);
  }

  /**
   * Releases a ticket after a success. A long write keeps its slot until its text is in the search index. Until it
   * is, searches read the text itself, and many such texts would delay the searches of all clients.
   */
  leaveAfterSuccess(ticket: QueueTicket, work: Work): void {
    if (work !== 'longWrite') {
      ticket.leave();
      return;
    }
    const leave = () => ticket.leave();
    const limit = sleep(indexLimitMs, undefined, { ref: false });
    Promise.race([this.options.indexed(), limit]).then(leave, leave);
  }

  /**
   * Releases a ticket in the next round of the event loop. Most reads, and searches for rare words, end in the round in
   * which they began. If the waiting requests began in the same round, those of other clients would be received only
   * after all waiting ones have been answered.
   */
  leaveSoon(ticket: QueueTicket): void {
    if (this.leaving.push(ticket) > 1) return;
    setImmediate(() => {
      for (const one of this.leaving.splice(0)) one.leave();
    });
  }

  /**
   * Runs part of the work for a request when it is the turn of its client.
   * @throws Fault busy `request.too-many-waiting`; invalid `request.aborted` when the client disconnects before its
   *   turn
   */
  async inTurn<T>(request: FastifyRequest, reply: FastifyReply, work: Work, run: () => Promise<T>): Promise<T> {
    const ticket = await this.enter(request, work);
    try {
      await turnOrDisconnect(ticket, reply);
      const result = await run();
      if (work === 'read') this.leaveSoon(ticket);
      else this.leaveAfterSuccess(ticket, work);
      return result;
    } catch (error) {
      ticket.leave();
      throw error;
    }
  }
}
