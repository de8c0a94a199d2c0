import type { ChunkFindings, ChunkTask } from './chunk.ts';

/** Examines chunks beside this worker, which writes what is found: SQLite has one writer at a time. */
export type Helper = (task: ChunkTask) => Promise<ChunkFindings>;

/** Chunks that wait for the helper or are with it: while this worker is at one it hears nothing. */
const MAX = 4;

/** What a helper works at. */
export class HelpedChunks {
  readonly #helper: Helper | undefined;
  readonly #write: (task: ChunkTask, findings: ChunkFindings) => Promise<void>;
  readonly #underWay = new Set<Promise<void>>();
  #failure: Error | undefined;

  /** @param write is given what was found of each chunk */
  constructor(
    helper: Helper | undefined,
    write: (task: ChunkTask, findings: ChunkFindings) => Promise<void>,
  ) {
    this.#helper = helper;
    this.#write = write;
  }

  /** @returns whether the helper takes it */
  give(task: ChunkTask): boolean {
    if (!this.#helper || this.#underWay.size >= MAX) return false;
    const work: Promise<void> = this.#helper(task)
      .then((findings) => this.#write(task, findings))
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error('The helper failed.');
      })
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
    return true;
  }

  /** Whether there is no use in going on. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves when nothing is under way any more. @throws what the helper failed at */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#failure) throw this.#failure;
  }
}
