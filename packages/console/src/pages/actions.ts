import { html } from 'lit';
import { texts } from '../locale/locale.ts';
import { Page } from '../parts/page.ts';

class ActionsPage extends Page {
  override readonly heading = texts().shell.actions;

  protected override render() {
    return html`<h1>${this.heading}</h1>`;
  }
}

customElements.define('console-actions', ActionsPage);
