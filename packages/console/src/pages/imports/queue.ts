import { setOwnImports, type ShownImport } from '../../parts/running-imports.ts';
import { Draft } from './draft.ts';

/** The files that a user imports one after the other, each with its own result. */
export class DraftQueue {
  #drafts: readonly Draft[];
  #shown: Draft;
  /** Resolves when the previous imports have ended. */
  #turn: Promise<void> = Promise.resolve();
  /** Called after each change. */
  onChange: () => void = () => undefined;

  constructor() {
    this.#shown = this.#create();
    this.#drafts = [this.#shown];
  }

  get drafts(): readonly Draft[] {
    return this.#drafts;
  }

  /** The draft shown on the page. */
  get shown(): Draft {
    return this.#shown;
  }

  /** The next file, after the shown one, that is neither imported nor unreadable. */
  get next(): Draft | undefined {
    const at = this.#drafts.indexOf(this.#shown);
    const others = [...this.#drafts.slice(at + 1), ...this.#drafts.slice(0, at)];
    return others.find(({ file, result }) => file !== undefined && result === undefined);
  }

  /** Adds files in order and reads their beginnings. Shows the first of them. */
  async add(files: readonly File[]): Promise<void> {
    const added = files.map(() => this.#create());
    const kept = this.#drafts.filter(({ name }) => name !== '');
    const [first] = added;
    if (first === undefined) return;
    this.#drafts = [...kept, ...added];
    this.#shown = first;
    for (const [index, draft] of added.entries()) {
      const file = files[index];
      // A file that cannot be read must not prevent the others from being read.
      if (file !== undefined) await draft.open(file);
    }
    if (this.#shown === first && first.file === undefined) this.#shown = this.next ?? first;
    this.#changed();
  }

  show(draft: Draft): void {
    this.#shown = draft;
    this.#changed();
  }

  /** Forgets a file and shows the next one. */
  remove(draft: Draft): void {
    const { next } = this;
    draft.clear();
    const others = this.#drafts.filter((one) => one !== draft);
    this.#drafts = others.length === 0 ? [draft] : others;
    if (draft === this.#shown) this.#shown = next ?? this.#drafts[0] ?? draft;
    this.#changed();
  }

  /** Forgets all files. */
  clear(): void {
    for (const draft of this.#drafts) draft.clear();
    this.#shown = this.#create();
    this.#drafts = [this.#shown];
    this.#changed();
  }

  /** Imports a file after the previously requested imports. */
  import(draft: Draft): Promise<void> {
    if (draft.isWaiting) return this.#turn;
    draft.isWaiting = true;
    const before = this.#turn;
    this.#turn = (async () => {
      await before;
      draft.isWaiting = false;
      this.#changed();
      await draft.import();
    })();
    this.#changed();
    return this.#turn;
  }

  /** Removes outcomes from the header, because the page shows them. */
  see(): void {
    setOwnImports(this.#running());
  }

  #create(): Draft {
    const draft = new Draft();
    draft.onChange = () => this.#changed();
    return draft;
  }

  #running(): ShownImport[] {
    return this.#drafts.flatMap((draft) => stateOf(draft) ?? []);
  }

  #changed(): void {
    setOwnImports([...this.#running(), ...this.#drafts.flatMap((draft) => endOf(draft) ?? [])]);
    this.onChange();
  }
}

/** Returns the current work on a file; undefined if it is waiting for the user. */
export function stateOf(draft: Draft): ShownImport | undefined {
  const { isWaiting, name: file, share, work } = draft;
  if (isWaiting) return { file, state: 'waiting' };
  if (work === undefined || work === 'reading') return undefined;
  if (share < 1) return { file, state: 'sending', share };
  return { file, state: work === 'checking' ? 'checking' : 'processing' };
}

/** Returns how the import of a file ended. */
export function endOf({ isFailed, name: file, result }: Draft): ShownImport | undefined {
  if (result !== undefined) return { file, state: 'done' };
  return isFailed ? { file, state: 'failed' } : undefined;
}
