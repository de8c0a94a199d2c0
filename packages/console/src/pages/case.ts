import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type { CaseEventRecord, CaseRecord } from '@financing-checkout/contract';
import { ApiError, get } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { exportLinks } from '../parts/export-links.ts';
import { paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { Loader } from '../parts/loader.ts';
import { emptyView, errorView, loadedView } from '../parts/states.ts';
import { amountView, headlineText, orderLink } from '../parts/values.ts';
import { type CaseAction, CaseDraft, performAction, type Verb } from './cases/action.ts';
import { caseStateView } from './cases/filters.ts';
import { trailText, trailView } from './cases/trail.ts';

interface History {
  case: CaseRecord;
  events: CaseEventRecord[];
  next?: string;
}

/** One case: its exception, its trail, and the actions that its state permits. */
class CasePage extends Page {
  static override properties = {
    ...Page.properties,
    problem: { state: true },
    failure: { state: true },
    running: { state: true },
    isCopied: { state: true },
  };
  override readonly heading = texts().cases.title;
  declare problem: string | undefined;
  declare failure: unknown;
  declare running: Verb | undefined;
  declare isCopied: boolean;
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
          ${this.may('cases') ? this.#workView(one) : html`<p class="quiet">${cases.readOnly}</p>`}
          <section class="card" aria-labelledby="trail-title">
            <div class="row spread">
              <h2 id="trail-title">${cases.trail}</h2>
              <div class="row">
                <button class="plain" @click=${() => void this.#copy({ case: one, events })}>
                  <wa-icon name="copy"></wa-icon>
                  <span role="status"
                    >${this.isCopied ? texts().common.copied : cases.copyText}</span
                  >
                </button>
                <a href=${paths.actions}>${cases.verify}</a>
                ${exportLinks('case-trail', { caseId: one.id })}
              </div>
            </div>
            ${trailView(events, one.currency)}
            <p class="quiet small">${cases.trailHelp}</p>
          </section>
        </div>
        ${factsView(one)}
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
      ${one.state === 'closed' ? html`<p class="quiet">${cases.isClosed}</p>` : nothing}
      <label class="entry">
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
      <p class="problem" id="comment-problem" role="alert">${this.problem ?? nothing}</p>
      <div class="row">
        ${isOpen ? button('resolve', 'accent', 'brand') : nothing}
        ${hasDecision ? button('reopen', 'accent', 'brand') : nothing}
        ${isOpen ? button('ignore', 'outlined') : nothing} ${button('note', 'outlined')}
        <span class="spacer"></span>
        ${
          one.assignee === name
            ? nothing
            : html`<button class="plain" @click=${() => void this.#assign(one.id, name)}>
                <wa-icon name="user"></wa-icon> ${cases.assignToMe}
              </button>`
        }
        ${
          one.assignee === undefined
            ? nothing
            : html`<button class="plain" @click=${() => void this.#assign(one.id, '')}>
                ${cases.unassign}
              </button>`
        }
      </div>
      ${isOpen ? html`<p class="quiet small">${cases.hold}</p>` : nothing}
      <form
        class="row assignee"
        @submit=${(event: SubmitEvent) => this.#submitAssignee(event, one.id)}
      >
        <label class="entry">
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
      ${this.failure === undefined ? nothing : errorView(this.failure)}
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

  async #copy(history: History): Promise<void> {
    await navigator.clipboard.writeText(trailText(history.case, history.events));
    this.isCopied = true;
  }
}

function factsView(one: CaseRecord) {
  const { cases, common } = texts();
  const { moment } = formats();
  return html`<aside class="card" aria-labelledby="facts-title">
    <h2 id="facts-title">${cases.facts}</h2>
    <dl class="facts">
      <dt>${common.code}</dt>
      <dd><code>${one.code}</code></dd>
      <dt>${cases.assignee}</dt>
      <dd>${one.assignee ?? cases.unassigned}</dd>
      ${
        one.reason === undefined
          ? nothing
          : html`<dt>${common.reason}</dt>
              <dd>${one.reason}</dd>`
      }
      <dt>${cases.since}</dt>
      <dd>${moment(one.since)}</dd>
      <dt>${cases.records}</dt>
      <dd>${formats().number(one.count)}</dd>
      <dt>${cases.opened}</dt>
      <dd>${moment(one.openedAt)}</dd>
      <dt>${cases.updated}</dt>
      <dd>${moment(one.updatedAt)}</dd>
      ${
        one.alertedAt === undefined
          ? nothing
          : html`<dt>${cases.alerted}</dt>
              <dd>${moment(one.alertedAt)}</dd>`
      }
      <dt>${cases.caseId}</dt>
      <dd class="id">${one.id}</dd>
    </dl>
  </aside>`;
}

/** Reads a case with all pages of its trail. */
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
