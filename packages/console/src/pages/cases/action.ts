import type { CaseVerb, DecidedCase, InputOf } from '@financing-checkout/contract/reconciliation';
import { fieldOfVerb } from '@financing-checkout/contract/plain';
import { call, newKey } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';

/**
 * A user's action on a case. `text` is the assignee, note, reason, day, or the ID of the other case
 * in a merge or split.
 */
export interface CaseAction {
  verb: CaseVerb;
  /** Empty for `wake`, and for `assign` if it removes the assignment. */
  text: string;
  /** For a merge or split. */
  note?: string | undefined;
}

/** The actions that one press undoes, with those that undo them. */
const undoing: Partial<Record<CaseVerb, CaseVerb>> = {
  resolve: 'reopen',
  ignore: 'reopen',
  snooze: 'wake',
  merge: 'split',
  split: 'merge',
};

/** Returns the action that undoes another one; undefined if one press does not undo it. */
export function undoOf({ verb, text }: CaseAction): CaseAction | undefined {
  const undo = undoing[verb];
  if (undo === undefined) return undefined;
  if (undo === 'reopen') return { verb: undo, text: texts().cases.undone };
  return { verb: undo, text: undo === 'wake' ? '' : text };
}

/** An action on a case, and what makes it safe to send. */
export interface CaseRequest {
  id: string;
  action: CaseAction;
  /** The same for every retry, so that the action takes effect once. */
  key: string;
  /** The revision that the user saw: a case that has changed since is left unchanged. */
  revision: number | undefined;
  /** The query of the list from which the person came: then the answer has what the page shows next. */
  shown?: string | undefined;
}

/**
 * Performs an action on a case.
 * @returns the case, and everything that its page shows next
 * @throws {ApiError} with the code `case-changed` if a colleague was faster
 */
export function performAction({
  id,
  action,
  key,
  revision,
  shown,
}: CaseRequest): Promise<DecidedCase> {
  const body = bodyOf(action, revision);
  return call(`post /cases/:caseId/${action.verb}`, { caseId: id, query: { shown }, body, key });
}

type Body = InputOf<`post /cases/:caseId/${CaseVerb}`>['body'];

/** Returns the request body. */
export function bodyOf({ note, text, verb }: CaseAction, ifRevision?: number): Body {
  const field = fieldOfVerb(verb);
  const written = verb === 'assign' && text === '' ? null : text;
  return { note, ...(field !== undefined && { [field]: written }), ifRevision };
}

/** The text that a user entered for a case, and the request that may have been sent with it. */
interface Draft {
  text: string;
  sent?: { action: CaseAction; key: string };
}

/** Keeps a user's draft for a case until its action is done, even across page reloads. */
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

  /** Returns an action's key: the earlier key if the same action may have been sent. */
  keyOf(action: CaseAction): string {
    const { sent } = this.#draft;
    const isSame = (['verb', 'text', 'note'] as const).every(
      (name) => sent?.action[name] === action[name],
    );
    if (sent !== undefined && isSame) return sent.key;
    const key = newKey();
    this.#keep({ ...this.#draft, sent: { action, key } });
    return key;
  }

  /** Marks the action as done, and removes the text if the action used it. */
  done(action: CaseAction): void {
    const used = action.note ?? (action.verb === 'assign' ? undefined : action.text);
    const isOfText = used === this.#draft.text.trim();
    this.#keep({ text: isOfText ? '' : this.#draft.text });
  }

  #keep(draft: Draft): void {
    this.#draft = draft;
    if (draft.text === '' && draft.sent === undefined) this.#storage.removeItem(this.#name);
    else this.#storage.setItem(this.#name, JSON.stringify(draft));
  }
}
