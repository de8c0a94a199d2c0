import { html } from 'lit';
import { texts } from '../locale/locale.ts';
import { Page } from '../parts/page.ts';

class ImportsPage extends Page {
  override readonly heading = texts().imports.title;

  protected override render() {
    return html`<h1>${this.heading}</h1>`;
  }
}

customElements.define('console-imports', ImportsPage);
