import { html, nothing, type TemplateResult } from 'lit';
import type { Task } from '@lit/task';
import { ApiError } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';

/** Returns a sentence for a failed request: what happened and what to do. */
export function sentenceOf(error: unknown): string {
  const { error: words } = texts().common;
  if (!(error instanceof ApiError)) return words.internal;
  if (error.code === 'answer-unreadable') return words.unreadable;
  const known = (words as Record<string, unknown>)[error.code];
  const sentence = typeof known === 'string' ? known : words.internal;
  // The detail of the API explains the problem, in English.
  return error.status >= 400 && error.status < 500 && error.detail ? error.detail : sentence;
}

/** Shows a failed request, with a button that repeats it. */
export function errorView(error: unknown, retry?: () => void): TemplateResult {
  const { common } = texts();
  const id = error instanceof ApiError ? error.requestId : undefined;
  return html`<wa-callout variant="danger" class="state" role="alert">
    <wa-icon slot="icon" name="circle-alert"></wa-icon>
    <strong>${common.error.title}</strong>
    <p>${sentenceOf(error)}</p>
    ${id === undefined ? nothing : html`<p class="quiet">${common.error.request(id)}</p>`}
    ${
      retry === undefined
        ? nothing
        : html`<wa-button size="s" appearance="outlined" @click=${retry}
            >${common.retry}</wa-button
          >`
    }
  </wa-callout>`;
}

/** Shows that there is nothing, and why, or what to do next. */
export function emptyView(title: string, hint?: unknown, icon = 'inbox'): TemplateResult {
  return html`<div class="state empty">
    <wa-icon name=${icon}></wa-icon>
    <p><strong>${title}</strong></p>
    ${hint === undefined ? nothing : html`<p class="quiet">${hint}</p>`}
  </div>`;
}

/** Shows lines of grey where content follows. */
export function loadingView(lines = 6): TemplateResult {
  return html`<div class="state loading" role="status" aria-label=${texts().common.loading}>
    ${Array.from({ length: lines }, () => html`<wa-skeleton effect="sheen"></wa-skeleton>`)}
  </div>`;
}

/** Shows what a task has loaded; else that it loads, or why it failed. */
export function taskView<Value>(
  task: Task<readonly unknown[], Value>,
  show: (value: Value) => unknown,
): unknown {
  return task.render({
    // The previous value stays visible while a new one loads.
    pending: () => (task.value === undefined ? loadingView() : show(task.value)),
    complete: show,
    error: (error) => errorView(error, () => void task.run()),
  });
}

/** Shows how reliable an answer is: its age, unproven days, quarantine. */
export function reliabilityView(answer: {
  asOf: string;
  complete?: boolean;
  unprovenDays: number;
  quarantined: number;
}): TemplateResult {
  const { common } = texts();
  const { asOf, unprovenDays, quarantined } = answer;
  return html`<div class="reliability">
    <span class="quiet">${common.asOf(formats().moment(asOf))}</span>
    ${
      unprovenDays === 0
        ? nothing
        : html`<wa-callout variant="warning" size="s">
            <wa-icon slot="icon" name="triangle-alert"></wa-icon>
            ${common.incomplete(unprovenDays)} <a href="/console/sync">${texts().shell.sync}</a>
          </wa-callout>`
    }
    ${
      quarantined === 0
        ? nothing
        : html`<wa-callout variant="warning" size="s">
            <wa-icon slot="icon" name="triangle-alert"></wa-icon> ${common.quarantined(quarantined)}
          </wa-callout>`
    }
  </div>`;
}
