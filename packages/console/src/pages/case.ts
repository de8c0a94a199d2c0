import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type {
  CaseEventRecord,
  CaseRecord,
  CaseVerb,
  OrderExplanation,
  SimilarCases,
} from '@financing-checkout/contract/reconciliation';
import { caseVerbNames, fieldOfVerb } from '@financing-checkout/contract/plain';
import { ApiError, get, pathOfOrder } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { Action } from '../parts/action.ts';
import { elementWith, optional } from '../parts/element.ts';
import { exportLinks } from '../parts/export-links.ts';
import { casesAddress, navigate, paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { Loader } from '../parts/loader.ts';
import { keyHint, keyShortcut, type Shortcut, Shortcuts } from '../parts/shortcuts.ts';
import { emptyView, loadedView } from '../parts/states.ts';
import { amountView, headlineText, orderLink } from '../parts/values.ts';
import {
  calloutView,
  cardView,
  copyButton,
  maybe,
  pairsView,
  plainButton,
  problemText,
  quiet,
} from '../parts/views.ts';
import { type CaseAction, CaseDraft, performAction, undoOf } from './cases/action.ts';
import { caseStateView, dueView } from './cases/filters.ts';
import { complete, type Mention, mentionAt, mentionView } from './cases/mention.ts';
import {
  caseName,
  findMain,
  mainField,
  mergedView,
  readMains,
  readMerged,
  stakeView,
  totalView,
} from './cases/merge.ts';
import { peopleList, readPeople } from './cases/people.ts';
import {
  bringForward,
  leaveCase,
  placeBefore,
  placeOf,
  type QueuePlace,
  queueQuery,
} from './cases/queue.ts';
import { similarView } from './cases/similar.ts';
import { snoozeField } from './cases/snooze.ts';
import { eventText, trailText, trailView } from './cases/trail.ts';
import { orderTimelineView, whyView } from './cases/why.ts';

interface History {
  case: CaseRecord;
  events: CaseEventRecord[];
  next?: string;
}

/** A case with all its events, and its place in the queue that the person came from. */
interface Shown extends History {
  place: QueuePlace | undefined;
  /** The order after the last decision. */
  order?: OrderExplanation | undefined;
}

/** Actions that require text from the user. */
const commented = caseVerbNames.filter((verb) =>
  ['reason', 'note'].includes(fieldOfVerb(verb) ?? ''),
);

const keyOf: Partial<Record<CaseVerb, string>> = { resolve: 'e', ignore: 'i' };

/** The actions after which a case is not in the queue. */
const leaving: ReadonlySet<CaseVerb | undefined> = new Set([
  'resolve',
  'ignore',
  'snooze',
  'merge',
] as const);

/** Code of the refusal to change a case that has changed since the page showed it. */
const CHANGED = 'case-changed';

/** A decision on a case. */
interface Decision {
  one: CaseRecord;
  action: CaseAction;
}

/** The decision after which the page of another case opens, which announces it and offers to undo it. */
let carried: (Decision & { to: string }) | undefined;

/** Opens a case after a decision. */
function openAfter(decision: Decision, to: string): void {
  carried = { ...decision, to };
  navigate(paths.case(to));
}

/** How long a decision can be undone with one press. Afterwards the case can be reopened. */
const UNDO_MS = 10_000;

/** One case: its exception, its audit trail, and the actions that its state permits. */
class CasePage extends elementWith(
  {
    problem: optional<string>(),
    /** The action that was just done. */
    done: optional<CaseAction>(),
    /** The decision on another case after which this one has opened by itself. */
    earlier: optional<Decision>(),
    /** The other open cases of the order, after a decision on the shown one. */
    others: [] as readonly CaseRecord[],
    mayUndo: false,
    /** The action that Ctrl+Enter performs in the text field; default: the first permitted one. */
    intent: optional<CaseVerb>(),
    /** Whether the user is choosing another case. */
    choosing: false,
    mention: optional<Mention>(),
    /** Which text was copied last. */
    copied: optional<'trail' | 'message'>(),
  },
  Page,
) {
  override readonly heading = texts().shell.cases;
  #draft: CaseDraft | undefined;
  readonly #task = new Loader(this, {
    args: () => [this.parameter] as const,
    task: async ([id], { signal }): Promise<Shown> => {
      const [history, place] = await Promise.all([
        wholeHistory(id, signal),
        // Even without the queue, the case itself is shown.
        placeOf(id, signal).catch(() => undefined),
      ]);
      return { ...history, place };
    },
  });
  readonly #order = new Loader(this, {
    // The order's timeline has the decisions on its cases. A decision made on this page brings its
    // own timeline.
    args: () => [this.#task.kept?.case.orderKey, this.#task.value?.case.revision] as const,
    task: ([key], { signal }) =>
      key === undefined
        ? Promise.resolve(undefined)
        : get<OrderExplanation>(pathOfOrder(key), {}, signal),
  });
  readonly #similar = new Loader(this, {
    args: () => [this.#task.kept?.case.id] as const,
    task: async ([id], { signal }) => {
      const path = `/cases/${encodeURIComponent(id ?? '')}/similar`;
      return id === undefined ? undefined : { id, ...(await get<SimilarCases>(path, {}, signal)) };
    },
  });
  /** The main case of the shown one, or the cases merged into it. */
  readonly #merged = new Loader(this, {
    args: () => {
      const one = this.#task.kept?.case;
      return [one?.id, one?.mergedInto, one?.together?.count] as const;
    },
    task: async ([id, mergedInto, count], { signal }) => {
      if (id === undefined) return undefined;
      const [main, others] = await Promise.all([
        mergedInto === undefined
          ? undefined
          : get<History>(`/cases/${encodeURIComponent(mergedInto)}`, { limit: 1 }, signal),
        count === undefined ? undefined : readMerged(id, signal),
      ]);
      return { id, main: main?.case, others };
    },
  });
  /** The cases into which the shown one can be merged, read when the user wants to choose one. */
  readonly #mains = new Loader(this, {
    args: () => [this.choosing ? this.#task.kept?.case : undefined] as const,
    task: ([one], { signal }) => (one === undefined ? Promise.resolve([]) : readMains(one, signal)),
  });
  readonly #people = new Loader(this, {
    args: () => [] as const,
    task: (_args, { signal }) => readPeople(signal),
  });
  readonly #shortcuts = new Shortcuts(this, () => this.#keys());
  /** Performs an action. If a colleague has changed the case, reads it again. */
  readonly #work = new Action(
    this,
    async (_request, id: string, action: CaseAction, shown: Shown | undefined) => {
      const draft = this.#draftOf(id);
      const revision = shown?.case.revision;
      try {
        const shownList = queueQuery();
        const request = { id, action, key: draft.keyOf(action), revision, shown: shownList };
        const { page, ...decided } = await performAction(request);
        draft.done(action);
        if (page !== undefined && shown !== undefined) {
          const { events, order, queue } = page;
          this.#task.replace({
            case: decided,
            events: [...shown.events, ...events],
            place: placeBefore(shown.place, queue.next?.id),
            order,
          });
          return;
        }
      } catch (error) {
        if (!(error instanceof ApiError && error.code === CHANGED)) throw error;
        await this.#task.run();
        throw error;
      }
      await this.#task.run();
    },
    { conflicts: [CHANGED] },
  );
  /** Finds the case that the user named. */
  readonly #finding = new Action(this, (_request, text: string, one: CaseRecord) =>
    findMain(text, one, this.#mains.kept ?? []),
  );
  /** Undoes the decision on another case, and returns to that case. */
  readonly #undoing = new Action(
    this,
    async ({ key }, { one }: Decision, undo: CaseAction) => {
      const { id, revision } = one;
      const undone = await performAction({ id, action: undo, key, revision });
      openAfter({ one: undone, action: undo }, id);
    },
    { conflicts: [CHANGED] },
  );
  #undoTimer: number | undefined;
  #carried: Decision | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    if (carried?.to === this.parameter) this.#carried = carried;
    carried = undefined;
  }

  protected override updated(): void {
    if (this.#carried === undefined || this.#task.value === undefined) return;
    const { action, one } = this.#carried;
    this.#carried = undefined;
    // Screen readers announce a text of an element that exists.
    void this.updateComplete.then(() => {
      if (one.id !== this.parameter) this.earlier = { action, one };
      this.#say(action);
      // Takes no focus from another element that the person has chosen.
      const { activeElement } = document;
      const isFree = activeElement === document.body || activeElement?.contains(this) === true;
      if (isFree) this.querySelector('h1')?.focus();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#undoTimer);
    leaveCase(this.parameter);
  }

  protected override render() {
    const { cases } = texts();
    return html`${this.#queueView(this.#task.kept?.place)}
    ${
      this.#task.error instanceof ApiError && this.#task.error.code === 'case-not-found'
        ? html`<h1>${cases.notFound}</h1>
            ${emptyView(cases.notFound, html`<a href=${casesAddress()}>${cases.back}</a>`)}`
        : loadedView(this.#task, (history) => this.#view(history))
    }`;
  }

  #queueView(place: QueuePlace | undefined) {
    const { cases } = texts();
    const back = html`<a href=${casesAddress()}
      ><wa-icon name="arrow-left"></wa-icon> ${cases.back}</a
    >`;
    if (place === undefined) {
      return html`<div class="back row spread">${back} ${this.#shortcuts.button()}</div>`;
    }
    const { count, hasMore, next, position, previous } = place;
    const link = (id: string | undefined, text: string, key: string) =>
      maybe(
        id,
        (found) =>
          html`<a href=${paths.case(found)} aria-keyshortcuts=${keyShortcut(key) ?? nothing}
            >${text} ${keyHint(key)}</a
          >`,
      );
    return html`<nav class="back row spread" aria-label=${cases.queue.label}>
      ${back}
      <span class="row">
        <span class="quiet">${cases.queue.place(position, count, hasMore)}</span>
        ${link(previous, cases.queue.previous, 'k')} ${link(next, cases.queue.next, 'j')}
        ${this.#shortcuts.button()}
      </span>
    </nav>`;
  }

  #keys(): Shortcut[] {
    const { keys, queue, assignToMe } = texts().cases;
    const shown = this.#task.kept;
    if (shown === undefined) return [];
    const { case: one, place } = shown;
    const { name } = this.session;
    const open = (id: string | undefined) => () => {
      if (id !== undefined) navigate(paths.case(id));
    };
    const work: Shortcut[] = [
      { keys: ['e'], text: keys.resolve, run: () => this.#startDecision('resolve') },
      { keys: ['i'], text: keys.ignore, run: () => this.#startDecision('ignore') },
      { keys: ['s'], text: keys.snooze, run: () => this.#startField('until') },
      { keys: ['m'], text: keys.merge, run: () => this.#startField('into') },
      {
        keys: ['a'],
        text: assignToMe,
        run: () => {
          if (one.assignee !== name) void this.#assign(one.id, name);
        },
      },
      { keys: ['u'], text: keys.undo, run: () => this.mayUndo && void this.#undo(one.id) },
      { keys: [texts().common.keys.send], text: keys.send },
      { keys: ['escape'], text: keys.leaveField },
    ];
    return [
      { keys: ['j'], text: queue.next, run: open(place?.next) },
      { keys: ['k'], text: queue.previous, run: open(place?.previous) },
      ...(this.may('cases') ? work : []),
    ];
  }

  #startField(name: 'until' | 'into'): void {
    this.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
  }

  /** Moves the focus to the text field, because a decision needs a text. */
  #startDecision(verb: CaseVerb): void {
    const one = this.#task.kept?.case;
    if (one === undefined || !one.can.includes(verb)) return;
    this.intent = verb;
    this.querySelector<HTMLElement>('.case-work textarea')?.focus();
  }

  #view({ case: one, events, order: decidedOrder, place }: Shown) {
    const { cases } = texts();
    // While the next order loads, the loader keeps the previous one.
    const loaded = decidedOrder ?? this.#order.kept;
    const order = loaded?.orderKey === one.orderKey ? loaded : undefined;
    return html`<div class="page-head case-head">
        <h1 tabindex="-1">${headlineText(one.code)} ${caseStateView(one)}</h1>
        <p>
          ${orderLink(one.orderKey, one.merchantOrderId)}
          <strong>${amountView(one.amount, one.currency, one.currencyAssumed)}</strong>
          ${stakeView(one)} ${totalView(one)}
          <span class="quiet">${cases.age}: ${texts().common.days(one.ageDays)}</span>
          ${one.state === 'open' ? html`<span class="quiet">${cases.due}: ${dueView(one)}</span>` : nothing}
        </p>
      </div>
      ${this.#outcomeView(one, place)}
      <div class="case-grid">
        <div>
          ${whyView(one, order, {
            copy: (text) => this.#copy('message', text),
            isCopied: this.copied === 'message',
          })}
          ${this.may('cases') ? this.#workView(one, events) : quiet(cases.readOnly)}
          ${maybe(order, orderTimelineView)}
          ${cardView(
            texts().shell.actions,
            html`${trailView(events, one.currency)} ${quiet(cases.trailHelp, true)}`,
            this.#trailTools(one, events),
          )}
        </div>
        <div>${factsView(one)} ${this.#othersView(one)} ${this.#similarView(one)}</div>
      </div>`;
  }

  #othersView({ id }: CaseRecord) {
    const found = this.#merged.kept;
    return maybe(found?.id === id ? found.others : undefined, (others) => mergedView(id, others));
  }

  /** Names the main case through which this one is handled. */
  #mainView({ id, mergedInto }: CaseRecord) {
    const { cases } = texts();
    if (mergedInto === undefined) return nothing;
    const found = this.#merged.kept;
    const main = found?.id === id ? found.main : undefined;
    const name = main === undefined ? cases.mainCase : caseName(main);
    const link = html`<a href=${paths.case(mergedInto)}>${name}</a>`;
    return calloutView('neutral', html`<p>${cases.mergedInto(link)}</p>`);
  }

  #similarView({ code, id }: CaseRecord) {
    // While the next case's similar cases load, the loader keeps the previous ones.
    const found = this.#similar.kept;
    return found?.id === id && found.count > 0 ? similarView(code, found) : nothing;
  }

  /**
   * Announces the last action. The element exists before its text, so that screen readers announce
   * the text.
   */
  #outcomeView(one: CaseRecord, place: QueuePlace | undefined) {
    const { cases } = texts();
    const { done, earlier, others } = this;
    const isDecided = earlier === undefined && leaving.has(done?.verb);
    const text = ({ text: said, verb }: CaseAction) =>
      html`<wa-icon name="circle-check"></wa-icon>
        <strong>${cases.done[verb](verb === 'snooze' ? formats().day(said) : said)}</strong>
        ${maybe(
          earlier,
          (before) =>
            html`<a href=${paths.case(before.one.id)}>${caseName(before.one)}</a>
              <span class="quiet">${cases.queue.opened(caseName(one))}</span>`,
        )}`;
    return html`<div class="outcome row">
        <span role="status">${maybe(done, text)}</span>
        ${
          this.mayUndo
            ? plainButton(html`${cases.undo} ${keyHint('u')}`, () => this.#undo(one.id), {
                icon: 'rotate-ccw',
                keys: keyShortcut('u'),
              })
            : nothing
        }
        ${
          !isDecided
            ? nothing
            : place?.next === undefined
              ? html`<a class="next" href=${casesAddress()}
                  >${place === undefined ? cases.back : cases.queue.isDone}</a
                >`
              : html`<a
                  class="next"
                  href=${paths.case(place.next)}
                  aria-keyshortcuts=${keyShortcut('j') ?? nothing}
                  >${cases.queue.next} ${keyHint('j')}</a
                >`
        }
      </div>
      ${isDecided && others.length > 0 ? offeredView(others) : nothing}
      ${this.#undoing.state === 'conflict' ? this.#undoing.problemText() : this.#undoing.errorView()}`;
  }

  #trailTools(one: CaseRecord, events: CaseEventRecord[]) {
    const { cases } = texts();
    return html`<div class="row">
      ${copyButton(cases.copyText, this.copied === 'trail', () =>
        this.#copy('trail', trailText(one, events)),
      )}
      <a href=${paths.actions}>${cases.verify}</a>
      ${exportLinks('trail-list', { subject: one.id }, { path: '/trail' })}
    </div>`;
  }

  #workView(one: CaseRecord, events: readonly CaseEventRecord[]) {
    const { cases } = texts();
    const draft = this.#draftOf(one.id);
    const isOpen = one.can.includes('resolve');
    const { name } = this.session;
    const intent = this.#intentOf(one);
    const button = (verb: CaseVerb) => {
      const key = keyOf[verb];
      const isMain = verb === 'resolve' || verb === 'reopen';
      return html`<wa-button
        size="s"
        variant=${isMain ? 'brand' : 'neutral'}
        appearance=${isMain ? 'accent' : 'outlined'}
        ?loading=${this.#running === verb}
        ?disabled=${this.#running !== undefined && this.#running !== verb}
        aria-keyshortcuts=${maybe(key, keyShortcut) ?? nothing}
        @click=${() => void this.#comment(one.id, verb)}
        >${cases.verbs[verb]} ${maybe(key, keyHint)}</wa-button
      >`;
    };
    return html`<section class="card case-work" aria-labelledby="work-title">
      <h2 id="work-title" tabindex="-1">${cases.work}</h2>
      ${one.state === 'closed' ? quiet(cases.isClosed) : this.#mainView(one)}
      <label>
        <span>${cases.comment}</span>
        <textarea
          rows="3"
          maxlength="4000"
          aria-describedby="comment-hint comment-problem"
          aria-keyshortcuts="Control+Enter"
          aria-invalid=${this.problem === undefined ? 'false' : 'true'}
          .value=${live(draft.text)}
          @input=${({ currentTarget }: Event) => {
            draft.write((currentTarget as HTMLTextAreaElement).value);
            this.problem = undefined;
            this.mention = mentionAt(currentTarget as HTMLTextAreaElement);
          }}
          @keydown=${(event: KeyboardEvent) => this.#onFieldKey(event, one)}
        ></textarea>
      </label>
      ${mentionView(this.#people.kept ?? [], this.mention, (name) => this.#mention(name))}
      <p class="quiet small" id="comment-hint">
        ${cases.commentHint}
        <span class="keyboard-only" aria-hidden="true"
          >${cases.sends(keyHint(texts().common.keys.send), cases.verbs[intent])}</span
        >
      </p>
      ${problemText(this.problem, 'comment-problem')}
      <div class="row">
        ${commented.filter((verb) => one.can.includes(verb)).map(button)}
        ${
          one.can.includes('split')
            ? plainButton(cases.verbs.split, () => this.#split(one), { icon: 'arrow-left' })
            : nothing
        }
        ${
          one.snoozedUntil === undefined
            ? nothing
            : plainButton(
                cases.verbs.wake,
                () => this.#perform(one.id, { verb: 'wake', text: '' }),
                {
                  icon: 'sun',
                },
              )
        }
        <span class="spacer"></span>
        ${
          one.assignee === name
            ? nothing
            : plainButton(
                html`${cases.assignToMe} ${keyHint('a')}`,
                () => this.#assign(one.id, name),
                { icon: 'user', keys: keyShortcut('a') },
              )
        }
        ${maybe(one.assignee, () => plainButton(cases.unassign, () => this.#assign(one.id, '')))}
      </div>
      ${isOpen ? quiet(cases.hold, true) : nothing}
      <div class="row forms">
        <form class="row" @submit=${(event: SubmitEvent) => this.#submitAssignee(event, one.id)}>
          <label>
            <span>${cases.assignee}</span>
            <input
              name="assignee"
              list="people"
              maxlength="200"
              autocomplete="off"
              .value=${live(one.assignee ?? '')}
            />
          </label>
          ${peopleList(this.#people.kept ?? [])}
          <wa-button
            type="submit"
            size="s"
            appearance="outlined"
            ?loading=${this.#running === 'assign'}
            >${cases.verbs.assign}</wa-button
          >
        </form>
        ${isOpen ? this.#snoozeForm(one.id) : nothing}
        ${one.can.includes('merge') ? this.#mergeForm(one) : nothing}
      </div>
      ${this.#work.errorView()} ${this.#finding.errorView()} ${this.#conflictView(one, events)}
    </section>`;
  }

  #snoozeForm(id: string) {
    const { cases } = texts();
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const text = this.querySelector<HTMLInputElement>('[name="until"]')?.value ?? '';
      void this.#perform(id, { verb: 'snooze', text });
    };
    return html`<form class="row" @submit=${submit}>
      ${snoozeField('until')}
      <wa-button
        type="submit"
        size="s"
        appearance="outlined"
        title=${cases.snoozeHint}
        aria-keyshortcuts=${keyShortcut('s') ?? nothing}
        ?loading=${this.#running === 'snooze'}
        >${cases.verbs.snooze} ${keyHint('s')}</wa-button
      >
    </form>`;
  }

  #mergeForm(one: CaseRecord) {
    const { cases } = texts();
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      void this.#merge(one);
    };
    return html`<form class="row" @submit=${submit} @input=${() => this.#finding.reset()}>
      ${mainField(this.#mains.kept ?? [], () => (this.choosing = true))}
      <wa-button
        type="submit"
        size="s"
        appearance="outlined"
        title=${cases.mergeHint}
        aria-keyshortcuts=${keyShortcut('m') ?? nothing}
        ?loading=${this.#running === 'merge'}
        >${cases.verbs.merge} ${keyHint('m')}</wa-button
      >
      ${problemText(this.#finding.missing)}
    </form>`;
  }

  /** Says what the colleague did, and offers the refused action again. */
  #conflictView(one: CaseRecord, events: readonly CaseEventRecord[]) {
    if (this.#work.state !== 'conflict' || this.#work.args === undefined) return nothing;
    const [, action, shown] = this.#work.args;
    const after = shown?.events.at(-1)?.seq ?? 0;
    const { cases } = texts();
    const { currency, id } = one;
    const verb = cases.verbs[action.verb];
    const { conflict } = cases;
    const isPermitted = one.can.includes(action.verb);
    const changes = events.filter(({ seq, kind }) => seq > after && kind !== 'alerted');
    const content = html`<strong>${cases.conflict.title}</strong>
      <ul class="changes">
        ${changes.map((event) => html`<li>${eventText(event, currency)}</li>`)}
      </ul>
      <p>
        ${isPermitted ? conflict.again : conflict[obstacleOf(one, action.verb)]}
        ${this.#draftOf(id).text.trim() === '' ? nothing : conflict.kept}
      </p>
      ${
        isPermitted
          ? html`<wa-button
              size="s"
              appearance="outlined"
              ?loading=${this.#running !== undefined}
              @click=${() => void this.#perform(id, action)}
              >${cases.conflict.repeat(verb)}</wa-button
            >`
          : nothing
      }`;
    return calloutView('warning', content, { role: 'alert' });
  }

  /** Returns the action for Ctrl+Enter: the one whose key was pressed, if the state permits it. */
  #intentOf(one: CaseRecord): CaseVerb {
    const wanted = [this.intent, 'resolve', 'reopen', 'note'] as const;
    return wanted.find((verb) => verb !== undefined && one.can.includes(verb)) ?? 'note';
  }

  #onFieldKey(event: KeyboardEvent, one: CaseRecord): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void this.#comment(one.id, this.#intentOf(one));
    } else if (event.key === 'Escape') {
      // Lets single keys act again.
      this.querySelector<HTMLElement>('#work-title')?.focus();
    }
  }

  #mention(name: string): void {
    const field = this.querySelector<HTMLTextAreaElement>('.case-work textarea');
    if (field !== null && this.mention !== undefined) complete(field, this.mention, name);
  }

  #draftOf(id: string): CaseDraft {
    return (this.#draft ??= new CaseDraft(id, this.session.name));
  }

  async #comment(id: string, verb: CaseVerb): Promise<void> {
    const text = this.#draftOf(id).text.trim();
    if (text === '') {
      this.problem = texts().cases.fields.missing;
      this.querySelector<HTMLElement>('.case-work textarea')?.focus();
      return;
    }
    await this.#perform(id, { verb, text });
  }

  #submitAssignee(event: SubmitEvent, id: string): void {
    event.preventDefault();
    const input = this.querySelector<HTMLInputElement>('[name="assignee"]');
    void this.#assign(id, input?.value.trim() ?? '');
  }

  /** Returns the note for a merge or split: the text, if there is any. */
  #noteOf(id: string): string | undefined {
    const text = this.#draftOf(id).text.trim();
    return text === '' ? undefined : text;
  }

  async #merge(one: CaseRecord): Promise<void> {
    const field = this.querySelector<HTMLInputElement>('[name="into"]');
    const text = field?.value.trim() ?? '';
    if (!(await this.#finding.run(text, one))) return;
    const into = this.#finding.answer;
    if (into === undefined) {
      this.#finding.refuse(texts().cases.mergeUnknown);
      field?.focus();
      return;
    }
    await this.#perform(one.id, { verb: 'merge', text: into, note: this.#noteOf(one.id) });
  }

  #split({ id, mergedInto = '' }: CaseRecord): Promise<void> {
    return this.#perform(id, { verb: 'split', text: mergedInto, note: this.#noteOf(id) });
  }

  #assign(id: string, text: string): Promise<void> {
    return this.#perform(id, { verb: 'assign', text });
  }

  async #perform(id: string, action: CaseAction): Promise<void> {
    if (!(await this.#work.run(id, action, this.#task.kept))) return;
    const shown = this.#task.kept;
    this.earlier = undefined;
    this.others = [];
    if (leaving.has(action.verb) && shown !== undefined) {
      const order = shown.order ?? this.#order.kept;
      this.others = order?.orderKey === shown.case.orderKey ? otherCasesOf(shown.case, order) : [];
      bringForward(
        id,
        this.others.map((other) => other.id),
      );
      const next = shown.place?.next;
      if (this.others.length === 0 && next !== undefined) {
        openAfter({ one: shown.case, action }, next);
        return;
      }
    }
    this.#say(action);
  }

  get #running(): CaseVerb | undefined {
    return this.#work.isRunning ? this.#work.args?.[1].verb : undefined;
  }

  /** Announces an action and offers to undo a decision for {@link UNDO_MS}. */
  #say(action: CaseAction): void {
    const isUndoable = undoOf(action) !== undefined;
    this.done = action;
    this.intent = undefined;
    this.mayUndo = isUndoable;
    clearTimeout(this.#undoTimer);
    if (!isUndoable) return;
    this.#undoTimer = window.setTimeout(() => this.#endUndo(), UNDO_MS);
    if (!leaving.has(action.verb) || this.earlier !== undefined) return;
    // The button that was pressed is gone. Enter goes on.
    void this.updateComplete.then(() => this.#nextLink()?.focus());
  }

  /** Returns the link to another case of the order, or else to the next one of the queue. */
  #nextLink(): HTMLElement | null {
    return this.querySelector('.offered a') ?? this.querySelector('.outcome .next');
  }

  #endUndo(): void {
    if (this.querySelector('.outcome button')?.contains(document.activeElement)) {
      this.#nextLink()?.focus();
    }
    this.mayUndo = false;
  }

  async #undo(id: string): Promise<void> {
    this.mayUndo = false;
    const undo = this.done && undoOf(this.done);
    if (undo === undefined) return;
    if (this.earlier === undefined) await this.#perform(id, undo);
    else await this.#undoing.run(this.earlier, undo);
  }

  async #copy(what: 'trail' | 'message', text: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    this.copied = what;
  }
}

/** Returns the other cases of an order that are open, and neither snoozed nor handled with another one. */
const otherCasesOf = (one: CaseRecord, order: OrderExplanation): readonly CaseRecord[] =>
  order.cases.filter(
    ({ id, mergedInto, snoozedUntil, state }) =>
      id !== one.id && state === 'open' && mergedInto === undefined && snoozedUntil === undefined,
  );

/** Offers the other open cases of the order. */
function offeredView(others: readonly CaseRecord[]) {
  return html`<div class="offered row" role="group" aria-labelledby="offered">
    <span id="offered">${texts().cases.otherCases}:</span>
    ${others.map(
      ({ amount, code, currency, currencyAssumed, id }) =>
        html`<a href=${paths.case(id)}
          >${headlineText(code)} ${amountView(amount, currency, currencyAssumed)}</a
        >`,
    )}
  </div>`;
}

/** Returns why a case does not permit an action any more. */
function obstacleOf({ mergedInto, state }: CaseRecord, verb: CaseVerb) {
  const isDone: Partial<Record<CaseVerb, boolean>> = {
    resolve: state === 'resolved',
    ignore: state === 'ignored',
    reopen: state === 'open',
    wake: true,
    split: mergedInto === undefined,
  };
  if (state === 'closed') return 'closed';
  if (isDone[verb] === true) return 'already';
  return mergedInto === undefined ? 'reopenFirst' : 'merged';
}

function factsView(one: CaseRecord) {
  const { cases, common } = texts();
  const { moment } = formats();
  return html`<aside class="card" aria-labelledby="facts-title">
    <h2 id="facts-title">${cases.facts}</h2>
    ${pairsView('facts', [
      [common.code, html`<code>${one.code}</code>`],
      [cases.assignee, one.assignee ?? cases.unassigned],
      [common.reason, one.reason],
      [cases.since, moment(one.since)],
      [cases.records, formats().number(one.count)],
      [cases.opened, moment(one.openedAt)],
      [cases.updated, moment(one.updatedAt)],
      [cases.alerted, one.alertedAt && moment(one.alertedAt)],
      [cases.caseId, one.id, 'id'],
    ])}
  </aside>`;
}

/** Reads a case with all pages of its audit trail. */
async function wholeHistory(id: string, signal: AbortSignal): Promise<History> {
  const path = `/cases/${encodeURIComponent(id)}`;
  const first = await get<History>(path, {}, signal);
  const events = [...first.events];
  let { next } = first;
  while (next !== undefined) {
    const page = await get<History>(path, { after: next }, signal);
    events.push(...page.events);
    next = page.next;
  }
  return { case: first.case, events };
}

customElements.define('console-case', CasePage);
