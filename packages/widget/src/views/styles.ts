import { dialogStyles } from './dialog-styles.ts';
import { css, sheetAdopter } from './sheet.ts';

/**
 * Used only as a constructed style sheet, which needs no `unsafe-inline`. Sizes are in `em`, because
 * a page may redefine `rem`. Colors follow the page's `color-scheme`.
 */
const pageStyles = css`
  :host {
    --_accent: var(--financing-accent, light-dark(#0b5a4b, #86dcc6));
    --_on-accent: var(--financing-on-accent, light-dark(#fff, #06251f));
    --_surface: var(--financing-surface, light-dark(#fff, #191c1f));
    --_text: var(--financing-text, light-dark(#16202a, #edf1f4));
    --_muted: var(--financing-muted, light-dark(#55616d, #a6b2bd));
    --_line: var(--financing-line, light-dark(#d8dee4, #363d45));
    --_radius: var(--financing-radius, 10px);
    display: block;
  }
  /* Inside the shadow tree, because a page's '* { … }' overrides ':host'. */
  :host > div {
    color: var(--_text);
    font-family: var(--financing-font, inherit);
    font-size: max(1em, 16px);
    font-style: normal;
    font-weight: 400;
    line-height: 1.5;
    text-align: start;
    text-indent: 0;
    text-shadow: none;
    text-transform: none;
    white-space: normal;
    word-break: normal;
  }
  /* The shop's content follows the language of its page. */
  :host(:dir(ltr)) ::slotted(:not([dir])) {
    direction: ltr;
  }
  :host(:dir(rtl)) ::slotted(:not([dir])) {
    direction: rtl;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  h2,
  h3,
  p {
    font: inherit;
    overflow-wrap: anywhere;
    hyphens: auto;
  }
  /* Headings receive the focus for screen readers; they are not interactive. */
  h2,
  h3 {
    outline: none;
    font-weight: 650;
    line-height: 1.3;
  }
  svg {
    flex: none;
    inline-size: 1.5em;
    block-size: 1.5em;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.8;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  button {
    font: inherit;
    color: inherit;
    cursor: pointer;
    -webkit-tap-highlight-color: transparent;
  }
  button:focus-visible {
    outline: 3px solid var(--financing-focus, light-dark(#2563c9, #8ab8ff));
    outline-offset: 2px;
  }
  .button {
    display: block;
    inline-size: 100%;
    min-block-size: 3em;
    padding: 0.6em 1.25em;
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: var(--_accent);
    color: var(--_on-accent);
    font-weight: 600;
    overflow-wrap: anywhere;
    hyphens: auto;
  }
  .button:hover {
    background: color-mix(in oklab, var(--_accent), var(--_text) 14%);
  }
  .button:active {
    background: color-mix(in oklab, var(--_accent), var(--_text) 24%);
  }
  /*
   * Less prominent than the primary button. The button to check again also has this style, because
   * the shopper should wait.
   */
  .button.quiet,
  .checking ~ .button {
    border-color: var(--_line);
    background: var(--_surface);
    color: var(--_text);
  }
  .button.quiet:hover,
  .checking ~ .button:hover {
    border-color: var(--_muted);
  }
  .button:disabled,
  .button[aria-disabled='true'] {
    cursor: default;
    background: var(--_line);
    color: var(--_muted);
  }
  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  section {
    display: flex;
    gap: 0.75em;
    padding: 1em;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_surface);
  }
  section p {
    color: var(--_muted);
    margin-block-start: 0.25em;
  }
  section:not([hidden]) ~ :is(button, div),
  button + button {
    margin-block-start: 0.75em;
  }
`;

const preferences = css`
  @media (prefers-reduced-motion: no-preference) {
    .button {
      transition: background-color 0.15s;
    }
    i {
      animation: breathe 1.8s ease-in-out infinite;
    }
    dialog[open] {
      transition:
        opacity 0.2s,
        translate 0.2s;
      @starting-style {
        opacity: 0;
        translate: 0 1em;
      }
    }
  }
  @media (forced-colors: active) {
    .button,
    dialog,
    [part='close'] {
      border: 1px solid;
    }
    .button:disabled,
    .button[aria-disabled='true'] {
      color: GrayText;
    }
    i {
      border: 1px solid GrayText;
    }
  }
`;

/** All styles for a dialog and for the element's content in the page. */
export const styles = pageStyles + dialogStyles + preferences;

export const adoptStyles = sheetAdopter(styles);
