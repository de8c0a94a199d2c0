import { html } from 'lit';
import { texts } from '../locale/locale.ts';
import { Page } from '../parts/page.ts';

class MoneyPage extends Page {
  override readonly heading = texts().money.title;

  protected override render() {
    return html`<h1>${this.heading}</h1>`;
  }
}

customElements.define('console-money', MoneyPage);
