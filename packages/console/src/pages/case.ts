import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type { CaseEventRecord, CaseRecord } from '@financing-checkout/contract';
import { ApiError, get } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { elementWith, optional } from '../parts/element.ts';
import { exportLinks } from '../parts/export-links.ts';
import { paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { Loader } from '../parts/loader.ts';
import { emptyView, errorView, loadedView } from '../parts/states.ts';
import { amountView, headlineText, orderLink } from '../parts/values.ts';
import { cardView, maybe, pairsView, plainButton, problemText, quiet } from '../parts/views.ts';
import { type CaseAction, CaseDraft, performAction, type Verb } from './cases/action.ts';
import { caseStateView } from './cases/filters.ts';
import { trailText, trailView } from './cases/trail.ts';

interface History {
  case: CaseRecord;
  events: CaseEventRecord[];
  next?: string;
}

/** One case: its exception, its audit trail, and the actions that its state permits. */
class CasePage extends elementWith(
  {
    problem: optional<string>(),
    failure: optional<unknown>(),
    running: optional<Verb>(),
    isCopied: false,
  },
  Page,
) {
  override readonly heading = texts().shell.cases;
  #draft: CaseDraft | undefined;
  readonly #task = new Loader(this, {
    args: () => [this.parameter] as const,
    task: ([id], { signal }) => wholeHistory(id, signal),
  });

  protected override render() {
    const { cases } = texts();
    return html`<p class="back">
        <a href=${paths.cases}><wa-icon name="arrow-left"></wa-icon> ${cases.back}</a>
      </p>
      ${
        this.#task.error instanceof ApiError && this.#task.error.code === 'case-not-found'
          ? html`<h1>${cases.notFound}</h1>
              ${emptyView(cases.notFound, html`<a href=${paths.cases}>${cases.back}</a>`)}`
          : loadedView(this.#task, (history) => this.#view(history))
      }`;
  }

  #view({ case: one, events }: History) {
    const { cases } = texts();
    return html`<div class="page-head case-head">
        <h1>${headlineText(one.code)} ${caseStateView(one.state)}</h1>
        <p>
          ${orderLink(one.orderKey, one.merchantOrderId)}
          <strong>${amountView(one.amount, one.currency, one.currencyAssumed)}</strong>
          <span class="quiet">${cases.age}: ${texts().common.days(one.ageDays)}</span>
        </p>
      </div>
      <div class="case-grid">
        <div>
          ${this.may('cases') ? this.#workView(one) : quiet(cases.readOnly)}
          ${cardView(
            texts().shell.actions,
            html`${trailView(events, one.currency)} ${quiet(cases.trailHelp, true)}`,
            this.#trailTools(one, events),
          )}
        </div>
        ${factsView(one)}
      </div>`;
  }

  #trailTools(one: CaseRecord, events: CaseEventRecord[]) {
    const { cases, common } = texts();
    const words = html`<span role="status"
      >${this.isCopied ? common.copied : cases.copyText}</span
    >`;
    return html`<div class="row">
      ${plainButton(words, () => this.#copy(one, events), { icon: 'copy' })}
      <a href=${paths.actions}>${cases.verify}</a>
      ${exportLinks('case-trail', { caseId: one.id })}
    </div>`;
  }

  #workView(one: CaseRecord) {
    const { cases } = texts();
    const draft = this.#draftOf(one.id);
    const isOpen = one.state === 'open';
    const hasDecision = one.state === 'resolved' || one.state === 'ignored';
    const { name } = this.session;
    const button = (verb: Verb, appearance: string, variant = 'neutral') =>
      html`<wa-button
        size="s"
        variant=${variant}
        appearance=${appearance}
        ?loading=${this.running === verb}
        ?disabled=${this.running !== undefined && this.running !== verb}
        @click=${() => void this.#comment(one.id, verb)}
        >${cases.verbs[verb]}</wa-button
      >`;
    return html`<section class="card case-work" aria-labelledby="work-title">
      <h2 id="work-title">${cases.work}</h2>
      ${one.state === 'closed' ? quiet(cases.isClosed) : nothing}
      <label>
        <span>${cases.comment}</span>
        <textarea
          rows="3"
          maxlength="4000"
          aria-describedby="comment-hint comment-problem"
          aria-invalid=${this.problem === undefined ? 'false' : 'true'}
          .value=${live(draft.text)}
          @input=${({ currentTarget }: Event) => {
            draft.write((currentTarget as HTMLTextAreaElement).value);
            this.problem = undefined;
          }}
        ></textarea>
      </label>
      <p class="quiet small" id="comment-hint">${cases.commentHint}</p>
      ${problemText(this.problem, 'comment-problem')}
      <div class="row">
        ${isOpen ? button('resolve', 'accent', 'brand') : nothing}
        ${hasDecision ? button('reopen', 'accent', 'brand') : nothing}
        ${isOpen ? button('ignore', 'outlined') : nothing} ${button('note', 'outlined')}
        <span class="spacer"></span>
        ${
          one.assignee === name
            ? nothing
            : plainButton(cases.assignToMe, () => this.#assign(one.id, name), { icon: 'user' })
        }
        ${maybe(one.assignee, () => plainButton(cases.unassign, () => this.#assign(one.id, '')))}
      </div>
      ${isOpen ? quiet(cases.hold, true) : nothing}
      <form
        class="row assignee"
        @submit=${(event: SubmitEvent) => this.#submitAssignee(event, one.id)}
      >
        <label>
          <span>${cases.assignee}</span>
          <input
            name="assignee"
            maxlength="200"
            autocomplete="off"
            .value=${live(one.assignee ?? '')}
          />
        </label>
        <wa-button
          type="submit"
          size="s"
          appearance="outlined"
          ?loading=${this.running === 'assign'}
          >${cases.verbs.assign}</wa-button
        >
      </form>
      ${maybe(this.failure, errorView)}
    </section>`;
  }

  #draftOf(id: string): CaseDraft {
    return (this.#draft ??= new CaseDraft(id, this.session.name));
  }

  async #comment(id: string, verb: Verb): Promise<void> {
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

  #assign(id: string, text: string): Promise<void> {
    return this.#perform(id, { verb: 'assign', text });
  }

  async #perform(id: string, action: CaseAction): Promise<void> {
    if (this.running !== undefined) return;
    const draft = this.#draftOf(id);
    this.running = action.verb;
    this.failure = undefined;
    try {
      await performAction(id, action, draft.keyOf(action));
      draft.done(action);
      await this.#task.run();
    } catch (error) {
      this.failure = error;
    } finally {
      this.running = undefined;
    }
  }

  async #copy(one: CaseRecord, events: readonly CaseEventRecord[]): Promise<void> {
    await navigator.clipboard.writeText(trailText(one, events));
    this.isCopied = true;
  }
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
