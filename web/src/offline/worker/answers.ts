import { clientInfo, clientInfoHeader } from '../../api/client-info.ts';
import type { Me } from '../../api/types.ts';
import { entryIdOf, isAnswer } from './addresses.ts';
import { AnswerStore } from './answer-store.ts';
import { isSameBrowserSession, noteBrowserSession } from './browser-session.ts';
import { isJson, networkFirst } from './network.ts';
import { replaceEntry } from './replace-entry.ts';
import type { FetchEvent } from './worker-scope.ts';

/** Maximum time to wait for an answer: shorter than the time limit of the page. */
const answerWithinMs = 25_000;
/** Maximum time to wait for the name of the user, without whom no answer is stored. */
const userWithinMs = 10_000;
const dayMs = 86_400_000;
/** Maximum age of a stored answer. */
const maxAgeMs = 7 * dayMs;
/** Head start of the page, which requests a changed entry itself if it shows it. */
const pageFirstMs = 1_000;

type Json = Readonly<Record<string, unknown>>;

/** An answer of the service, to be stored. */
interface Taken {
  readonly url: string;
  readonly answer: Response;
  /** `Answers.epoch` at the time of the request. */
  readonly epoch: number;
}

/**
 * The last answers of the API, for one user. They are shown only while the service is unreachable. The answer that
 * names the user is stored first; removing it removes the others, too.
 */
export class Answers {
  private readonly store: AnswerStore;
  private readonly userUrl: string;
  /** Number of changes of the user. Answers that were requested before the last change are not stored. */
  private epoch = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private userListeners: (() => void)[] = [];

  constructor(
    private readonly origin: string,
    private readonly rootPath: string,
    /** Whether anything may be stored. */
    private readonly isInstalled: () => Promise<boolean>,
  ) {
    this.userUrl = this.urlOf('/me');
    const pinned = ['/me', '/bootstrap', '/me/settings', '/me/searches'].map((path) => this.urlOf(path));
    this.store = new AnswerStore((url) => pinned.includes(url));
  }

  respond(event: FetchEvent): void {
    const { request } = event;
    const { epoch } = this;
    const { url } = request;
    // A redirect, such as to a sign-in page, is an answer too.
    const network = fetch(request, { redirect: 'manual' });
    const taken = network.then((answer) => this.take({ url, answer: answer.clone(), epoch })).catch(() => undefined);
    // A worker that is busy delays the next one.
    event.waitUntil(Promise.race([taken, new Promise((done) => setTimeout(done, answerWithinMs))]));
    event.respondWith(networkFirst(network, answerWithinMs, () => this.find(url)));
  }

  /** Removes everything: the next user must not see it. */
  forget(): Promise<void> {
    this.epoch += 1;
    return this.inTurn(() => this.store.clear());
  }

  /** Removes everything unless it belongs to this user. */
  async keepFor(userName: string | null): Promise<void> {
    const known = await this.store.find(this.userUrl);
    if (known && ((await known.json()) as Me).userName !== userName) await this.forget();
  }

  /**
   * Removes everything if the browser was closed, otherwise what is too old. A session that seems unused may have been
   * extended by changes, so only the answer that names the user tells that it has ended.
   */
  removeExpired(): Promise<void> {
    return this.inTurn(async () => {
      const stored = await this.store.list();
      if (stored.get(this.userUrl)?.endsWithBrowser && !(await isSameBrowserSession())) return this.clear();
      for (const [url, { storedMs }] of [...stored])
        if (url !== this.userUrl && ageOf(storedMs) >= maxAgeMs) await this.store.remove(url);
    });
  }

  /** Requests again, and stores, what a page had requested before the worker was there. */
  async load(urls: readonly string[]): Promise<void> {
    const wanted = urls.filter((url) => {
      const { origin, pathname } = new URL(url);
      return origin === this.origin && isAnswer(pathname, this.rootPath) && url !== this.userUrl;
    });
    for (const url of [this.userUrl, ...new Set(wanted)]) {
      if (!(await this.store.list()).has(url)) await this.read(url);
    }
  }

  /** Reads a changed entry again if any part of it is stored. */
  async refresh(id: number): Promise<void> {
    const sinceMs = Date.now();
    if (![...(await this.store.list()).values()].some(({ entryIds }) => entryIds.has(id))) return;
    await new Promise((done) => setTimeout(done, pageFirstMs));
    const url = this.urlOf(`/logs/${id}`);
    const isRead = ((await this.store.list()).get(url)?.storedMs ?? 0) >= sinceMs;
    if (!isRead) await this.read(url);
  }

  private async read(url: string): Promise<void> {
    const { epoch } = this;
    const answer = await fetch(url, { headers: { [clientInfoHeader]: clientInfo }, redirect: 'manual' });
    await this.take({ url, answer, epoch });
  }

  private async find(url: string): Promise<Response | undefined> {
    // After any pending change of the user.
    await this.turn;
    if (!(await this.isSessionAlive())) return undefined;
    const storedMs = (await this.store.list()).get(url)?.storedMs ?? 0;
    return url === this.userUrl || ageOf(storedMs) < maxAgeMs ? this.store.find(url) : undefined;
  }

  /** Whether the session of the user should still be open, judging by the stored answers: each use extends it. */
  private async isSessionAlive(): Promise<boolean> {
    const stored = await this.store.list();
    const user = stored.get(this.userUrl);
    if (user?.endsWithBrowser && !(await isSameBrowserSession())) return false;
    if (user?.idleMs === undefined) return user !== undefined;
    return Math.min(...[...stored.values()].map(({ storedMs }) => ageOf(storedMs))) < user.idleMs;
  }

  private async take({ url, answer, epoch }: Taken): Promise<void> {
    if (!isJson(answer.headers)) return;
    const id = entryIdOf(new URL(url).pathname, this.rootPath);
    if ([403, 404, 410].includes(answer.status)) await this.inTurn(() => this.removeAnswer(url, id));
    if (answer.status !== 200) return;
    const text = await answer.text();
    if (url === this.userUrl) {
      // Someone has signed in or out in the meantime.
      if (epoch !== this.epoch) return this.read(url);
      return this.inTurn(() => this.takeUser(text, answer.headers));
    }
    if (/no-store/.test(answer.headers.get('cache-control') ?? '')) return;
    await this.whenUserIsKnown();
    await this.inTurn(async () => {
      if (epoch !== this.epoch || !(await this.canStore())) return;
      if (id !== undefined) await this.replaceEntry(url, id, text);
      await this.store.put(url, { text, etag: answer.headers.get('etag') });
    });
  }

  private async canStore(): Promise<boolean> {
    return (await this.store.list()).has(this.userUrl) && this.isInstalled();
  }

  private async whenUserIsKnown(): Promise<void> {
    if ((await this.store.list()).has(this.userUrl)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((done) => {
      this.userListeners.push(done);
      timer = setTimeout(done, userWithinMs);
    });
    clearTimeout(timer);
  }

  /** Stores who the user is. If the user or their rights have changed, removes all other answers. */
  private async takeUser(text: string, headers: Headers): Promise<void> {
    const known = await this.store.find(this.userUrl);
    if (known && rightsOf(await known.text()) !== rightsOf(text)) await this.clear();
    if (!(await this.isInstalled())) return;
    const { session, userName } = JSON.parse(text) as Me;
    // The clock of the service counts, because that of this computer may be wrong.
    const nowMs = Date.parse(headers.get('date') ?? '') || Date.now();
    const idleMs = session ? session.expiresDate - nowMs : undefined;
    const endsWithBrowser = userName !== null && (await noteBrowserSession());
    await this.store.put(this.userUrl, { text, etag: null, idleMs, endsWithBrowser });
    for (const tell of this.userListeners.splice(0)) tell();
  }

  /** Removes an answer that the user may no longer read; for an entry, everything that contains it. */
  private async removeAnswer(url: string, id: number | undefined): Promise<void> {
    await this.store.remove(url);
    if (id === undefined) return;
    for (const [other, { entryIds }] of [...(await this.store.list())])
      if (entryIds.has(id)) await this.store.remove(other);
  }

  /**
   * Replaces an entry in all lists. Its earlier versions are removed: something may have been removed from them too.
   */
  private async replaceEntry(url: string, id: number, text: string): Promise<void> {
    const before = await this.store.find(url);
    if ((await before?.text()) === text) return;
    const entry = JSON.parse(text) as Json;
    for (const [other, { entryIds, storedMs }] of [...(await this.store.list())]) {
      if (other === url || !entryIds.has(id)) continue;
      if (new URL(other).pathname.includes('/logs/archived/')) await this.store.remove(other);
      const replaced = replaceEntry((await (await this.store.find(other))?.text()) ?? '{}', entry);
      if (replaced !== undefined) await this.store.put(other, { text: replaced, etag: null, storedMs });
    }
  }

  private clear(): Promise<void> {
    this.epoch += 1;
    return this.store.clear();
  }

  private urlOf(path: string): string {
    return `${this.origin}${this.rootPath}${path}`;
  }

  private inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.turn.then(change);
    this.turn = done.catch(() => undefined);
    return done;
  }
}

/**
 * The age of an answer. An answer that was stored while the clock was ahead by more than a day counts as older than all
 * others.
 */
function ageOf(storedMs: number): number {
  const ageMs = Date.now() - storedMs;
  return ageMs < -dayMs ? Number.POSITIVE_INFINITY : ageMs;
}

/** Returns the parts of the user's answer on which all other answers depend. */
function rightsOf(text: string): string {
  const { userName, roles, permissions, logbooks } = JSON.parse(text) as Me;
  return JSON.stringify([userName, roles, permissions, logbooks]);
}
