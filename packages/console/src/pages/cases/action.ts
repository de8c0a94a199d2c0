import type { CaseRecord } from '@financing-checkout/contract';
import { newKey, post } from '../../api/client.ts';

export const verbs = ['assign', 'note', 'resolve', 'ignore', 'reopen'] as const;
export type Verb = (typeof verbs)[number];

/** An action of a person on a case. `text` is the assignee, the note or the reason. */
export interface CaseAction {
  verb: Verb;
  /** Empty only for `assign`: removes the assignment. */
  text: string;
}

/**
 * Performs an action on a case.
 * @param key the same for each repeat: the action takes effect once
 * @throws {ApiError}
 */
export function performAction(caseId: string, action: CaseAction, key: string) {
  return post<CaseRecord>(`/cases/${encodeURIComponent(caseId)}/${action.verb}`, bodyOf(action), {
    key,
  });
}

/** Returns the body of the request. */
export function bodyOf({ verb, text }: CaseAction): Record<string, string | null> {
  if (verb === 'assign') return { assignee: text === '' ? null : text };
  return verb === 'note' ? { note: text } : { reason: text };
}

/** What a person has entered for a case, and the request that may have been sent with it. */
interface Draft {
  text: string;
  sent?: { action: CaseAction; key: string };
}

/** Keeps the draft of one case and person until its action is done, also when the page is loaded anew. */
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

  /** Returns the key of an action: the earlier one where the same action may have been sent. */
  keyOf(action: CaseAction): string {
    const { sent } = this.#draft;
    if (sent?.action.verb === action.verb && sent.action.text === action.text) return sent.key;
    const key = newKey();
    this.#keep({ ...this.#draft, sent: { action, key } });
    return key;
  }

  /** Ends the action, and removes the text if the action has used it. */
  done(action: CaseAction): void {
    this.#keep({ text: action.verb === 'assign' ? this.#draft.text : '' });
  }

  #keep(draft: Draft): void {
    this.#draft = draft;
    if (draft.text === '' && draft.sent === undefined) this.#storage.removeItem(this.#name);
    else this.#storage.setItem(this.#name, JSON.stringify(draft));
  }
}
