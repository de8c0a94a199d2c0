import { html } from 'lit';
import { texts } from '../locale/locale.ts';
import { Page } from '../parts/page.ts';

class TodayPage extends Page {
  override readonly heading = texts().today.title;

  protected override render() {
    return html`<h1>${this.heading}</h1>`;
  }
}

customElements.define('console-today', TodayPage);
