/*
 * Shows a message in one look: `message.html?state=open&scheme=dark&language=de`. `data-reached` on
 * the root element indicates that the state has been reached and rendered.
 */
import calm from '../themes/calm.css?inline';
import contrast from '../themes/contrast.css?inline';
import soft from '../themes/soft.css?inline';
import '../src/message/define.ts';
import { directionOf } from '../src/message/content.ts';
import { formatMoney } from '../src/texts/money.ts';
import { messagePrice, programmesIn } from './programmes.ts';

const sheets: Record<string, string> = { calm, contrast, soft };
const query = new URLSearchParams(location.search);
const language = query.get('language') ?? 'en';
const root = document.documentElement;
root.dataset.scheme = query.get('scheme') ?? 'light';
Object.assign(root, { lang: language, dir: directionOf(language) });
const sheet = new CSSStyleSheet();
const theme = sheets[query.get('theme') ?? 'none'] ?? '';
sheet.replaceSync(theme.replaceAll('financing-checkout', 'financing-message'));
document.adoptedStyleSheets.push(sheet);

globalThis.fetch = () => Promise.resolve(Response.json({ programmes: programmesIn(language) }));
const price = document.querySelector('.price');
if (price) price.textContent = formatMoney(messagePrice, language);
const element = document.querySelector('financing-message');
if (!element) throw new Error('There is no element in the page.');
element.setAttribute('qualify-href', '#qualify');
Object.assign(element, {
  amount: messagePrice.value,
  currency: messagePrice.currency,
  companion: 'https://companion.example',
});
const isThere = () => element.shadowRoot?.querySelector('[part=text]') !== null;
while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
if (query.get('state') === 'open') {
  await element.open();
  const moving = element.shadowRoot?.getAnimations() ?? [];
  await Promise.allSettled(moving.map(({ finished }) => finished));
}
root.dataset.reached = '';
