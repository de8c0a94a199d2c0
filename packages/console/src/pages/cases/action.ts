import type { CaseRecord } from '@financing-checkout/contract';
import { newKey, post } from '../../api/client.ts';

export const verbs = ['assign', 'note', 'resolve', 'ignore', 'reopen'] as const;
export type Verb = (typeof verbs)[number];

/** A user's action on a case. `text` is the assignee, the note or the reason. */
export interface CaseAction {
  verb: Verb;
  /** May be empty only for `assign`, which then removes the assignment. */
  text: string;
}

/**
 * Performs an action on a case.
 * @param key the same for every retry, so that the action takes effect once
 * @throws {ApiError}
 */
export function performAction(caseId: string, action: CaseAction, key: string) {
  return post<CaseRecord>(`/cases/${encodeURIComponent(caseId)}/${action.verb}`, bodyOf(action), {
    key,
  });
}

/** Returns the request body. */
export function bodyOf({ verb, text }: CaseAction): Record<string, string | null> {
  if (verb === 'assign') return { assignee: text === '' ? null : text };
  return verb === 'note' ? { note: text } : { reason: text };
}

/** The text that a user entered for a case, and the request that may have been sent with it. */
interface Draft {
  text: string;
  sent?: { action: CaseAction; key: string };
}

/** Keeps a user's draft for a case until its action is done, even when the page is reloaded. */
export class CaseDraft {
  readonly #name: string;
  readonly #storage: Storage;
  #draft: Draft;

  constructor(caseId: string, person: string, storage = sessionStorage) {
    this.#name = `financing-console-draft ${person} ${caseId}`;
    this.#storage = storage;
    this.#draft = JSON.parse(storage.getItem(this.#name) ?? '{"text":""}') as Draft;
  }

  get text(): string {
    return this.#draft.text;
  }

  write(text: string): void {
    this.#keep({ ...this.#draft, text });
  }

  /** Returns the key of an action: the earlier key if the same action may have been sent. */
  keyOf(action: CaseAction): string {
    const { sent } = this.#draft;
    if (sent?.action.verb === action.verb && sent.action.text === action.text) return sent.key;
    const key = newKey();
    this.#keep({ ...this.#draft, sent: { action, key } });
    return key;
  }

  /** Marks the action as done, and removes the text if the action used it. */
  done(action: CaseAction): void {
    this.#keep({ text: action.verb === 'assign' ? this.#draft.text : '' });
  }

  #keep(draft: Draft): void {
    this.#draft = draft;
    if (draft.text === '' && draft.sent === undefined) this.#storage.removeItem(this.#name);
    else this.#storage.setItem(this.#name, JSON.stringify(draft));
  }
}
