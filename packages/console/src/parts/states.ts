import { html, nothing, type TemplateResult } from 'lit';
import { TaskStatus } from '@lit/task';
import { ApiError } from '../api/client.ts';
import { formats, language, texts } from '../locale/locale.ts';
import type { Loader } from './loader.ts';
import { calloutView, maybe, quiet } from './views.ts';

/** Problems whose sentence, chosen by code, says the same as their English detail. */
const worded: ReadonlySet<string> = new Set([
  ...['case-changed', 'case-not-permitted', 'case-not-found', 'token-not-permitted'],
  ...['token-invalid', 'session-ended', 'idempotency-key-reused', 'idempotency-in-flight'],
  ...['rate-limited', 'method-not-allowed'],
]);

/**
 * Returns a sentence for a failed request: what happened and what to do. The API's English message
 * has more detail than the code, except where its parameters are worded; other languages have one
 * sentence per code, or word the parameters.
 */
export function sentenceOf(error: unknown): string {
  const { problems, refusal } = texts();
  if (!(error instanceof ApiError)) return problems.internal;
  if (error.code === 'offline' && !navigator.onLine) return problems['own-offline'];
  const { at, ...facts } = error.parameters;
  const parameters = at === undefined ? facts : { ...facts, at: formats().moment(at) };
  const said = refusal(error.code, parameters);
  if (said !== undefined) return said;
  if (language() === 'en' && isRefusal(error) && error.detail) return error.detail;
  return (problems as Readonly<Record<string, string>>)[error.code] ?? problems.internal;
}

/** Whether the request, rather than the server, was at fault. */
const isRefusal = ({ status }: ApiError) => status >= 400 && status < 500;

/** Shows the sentence for a failed request and, in other languages, the API's message as well. */
export function problemView(error: unknown): TemplateResult {
  const hasDetail = error instanceof ApiError && isRefusal(error) && !worded.has(error.code);
  const detail = hasDetail ? error.detail : undefined;
  return html`${sentenceOf(error)}
  ${language() === 'en' || !detail ? nothing : html`<span class="quiet" lang="en">${detail}</span>`}`;
}

/** Shows a failed request, with a retry button. */
export function errorView(error: unknown, retry?: () => void): TemplateResult {
  const { common } = texts();
  const id = error instanceof ApiError ? error.requestId : undefined;
  const content = html`<strong>${common.error.title}</strong>
    <p>${problemView(error)}</p>
    ${maybe(id, (request) => quiet(common.error.request(request)))}
    ${maybe(retry, (again) => retryButton(again))}`;
  return calloutView('danger', content, { role: 'alert' });
}

/** Shows a retry button. */
export function retryButton(retry: () => void): TemplateResult {
  return html`<wa-button size="s" appearance="outlined" @click=${retry}
    >${texts().common.retry}</wa-button
  >`;
}

/** Shows an empty state, with the reason or what to do next. */
export function emptyView(title: string, hint?: unknown, icon = 'inbox'): TemplateResult {
  return html`<div class="state empty">
    <wa-icon name=${icon}></wa-icon>
    <p><strong>${title}</strong></p>
    ${maybe(hint, (text) => quiet(text))}
  </div>`;
}

/** Shows gray skeleton lines while content loads. */
export function loadingView(lines = 6): TemplateResult {
  return html`<div class="state loading" role="status" aria-label=${texts().common.loading}>
    ${Array.from({ length: lines }, () => html`<wa-skeleton effect="sheen"></wa-skeleton>`)}
  </div>`;
}

/** Shows the loaded value, or else the loading or error state. */
export function loadedView<Args extends readonly unknown[], Value extends object>(
  loader: Loader<Args, Value>,
  show: (value: Value) => unknown,
): unknown {
  const { kept, error } = loader;
  const hasFailed = loader.status === TaskStatus.ERROR;
  const pending = hasFailed ? nothing : loadingView();
  return html`${hasFailed ? errorView(error, () => void loader.run()) : nothing}
  ${kept === undefined ? pending : show(kept)}`;
}

/** Shows how reliable a response is: its age, unproven days, quarantined records. */
export function reliabilityView(answer: {
  asOf: string;
  complete?: boolean;
  unprovenDays: number;
  quarantined?: number;
}): TemplateResult {
  const { common, shell } = texts();
  const { asOf, unprovenDays, quarantined = 0 } = answer;
  const incomplete = html`${common.incomplete(unprovenDays)}
    <a href="/console/sync">${shell.sync}</a>`;
  return html`<div class="reliability">
    <span class="quiet">${common.asOf(formats().moment(asOf))}</span>
    ${unprovenDays === 0 ? nothing : calloutView('warning', incomplete, { size: 's' })}
    ${quarantined === 0 ? nothing : calloutView('warning', common.inQuarantine(quarantined), { size: 's' })}
  </div>`;
}
