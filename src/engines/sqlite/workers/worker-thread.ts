import { getPriority, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { Fault } from '../../../kernel/fault.js';
import { type Connection, loadSqlite } from '../database/connection.js';
import { requireInPlace } from '../database/database-file-check.js';
import { type ConnectionRole, openDatabase } from '../database/open-database.js';
import type { TaskResult, WorkerSettings } from './messages.js';

export const settings = workerData as WorkerSettings;

/** Opens the documents database. @throws Fault unavailable `storage.unavailable` when it was moved or replaced */
export async function openDocuments(role: ConnectionRole): Promise<Connection> {
  // Loaded first, so that the database is opened immediately after the check.
  await loadSqlite();
  requireInPlace(settings.documents);
  return openDatabase(settings.documents.path, role);
}

/** Ends a search or a batch when the service stops. Nothing is lost: the next run of the program indexes the rest. */
export function checkStop(): void {
  const { stopping } = settings;
  if (Atomics.load(stopping, 0) === 1) throw new Fault('unavailable', 'service.stopping', 'The service is stopping.');
}

/**
 * Lowers the priority of this thread.
 * @param niceness lower for tasks that a caller waits for; the event loop has priority over all tasks
 */
export function lowerPriority(niceness: number): void {
  // Linux only: elsewhere, this would set the priority of the whole process.
  if (process.platform === 'linux' && getPriority() < niceness) setPriority(niceness);
}

/**
 * Runs one task.
 * @param niceness see `lowerPriority`
 */
export async function runTask(niceness: number, task: () => Promise<TaskResult>): Promise<TaskResult> {
  try {
    lowerPriority(niceness);
    return await task();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, code, message, cause } = error;
    return { kind: 'fault', fault: { kind, code, message, cause: cause === undefined ? undefined : String(cause) } };
  }
}

/** The object that works with an index, and its connections. */
interface Opened<T> {
  readonly instance: T;
  readonly index: Connection;
  readonly documents: Connection;
}

/** Keeps an index, the documents, and the object that works with them open for the next task of the worker. */
export class OpenIndex<T> {
  private open: (Opened<T> & { readonly indexFile: string; readonly generation: number }) | undefined;

  constructor(
    private readonly openIndex: (file: string) => Promise<Connection>,
    private readonly createInstance: (index: Connection, documents: Connection, key: string) => T,
  ) {}

  /**
   * Runs `work` with the object for this index. First closes the object of the previous task if that task used another
   * index. Also closes a damaged index, because another file of the same name may replace it.
   */
  async use<R>(
    { indexFile, generation = 0 }: { readonly indexFile: string; readonly generation?: number },
    work: (opened: Opened<T>) => R,
  ): Promise<R> {
    try {
      return work(await this.get(indexFile, generation));
    } catch (error) {
      if (error instanceof Fault && error.code === 'search.damaged') this.close();
      throw error;
    }
  }

  close(): void {
    this.open?.index.close();
    this.open?.documents.close();
    this.open = undefined;
  }

  private async get(indexFile: string, generation: number): Promise<Opened<T>> {
    if (this.open?.indexFile === indexFile && this.open.generation === generation) return this.open;
    this.close();
    const connections = [await openDocuments('reader')];
    try {
      const [documents] = connections as [Connection];
      const index = await this.openIndex(indexFile);
      connections.push(index);
      const instance = this.createInstance(index, documents, `${indexFile} ${generation}`);
      this.open = { indexFile, generation, instance, index, documents };
      return this.open;
    } catch (error) {
      for (const connection of connections) connection.close();
      throw error;
    }
  }
}
