import { html, type TemplateResult } from 'lit';

const icons = { valid: 'circle-check', broken: 'circle-x', missing: 'circle-alert' } as const;

/** Shows the result of verifying a chain of hashes, or one link of it. */
export function chainView(
  state: keyof typeof icons,
  title: string,
  content: unknown,
): TemplateResult {
  return html`<div class="chain ${state}">
    <h3><wa-icon name=${icons[state]}></wa-icon> ${title}</h3>
    ${content}
  </div>`;
}
