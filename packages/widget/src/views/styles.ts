import { css } from './sheet.ts';

/**
 * Only a constructable style sheet: nothing here needs `unsafe-inline`. Sizes are in `em`, for a
 * page's `rem` may be anything. Colours follow the page's `color-scheme`.
 */
export const styles = css`
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
  /* On what the page cannot reach: its own '* { … }' is stronger than ':host'. */
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
  /* What the shop puts in here is in the language of its page. */
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
  /* The focus is put there for who listens; it is nothing to operate. */
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
  /* Beside the one that is meant to be pressed. Asking again is for the impatient: what is asked of
     the shopper is to wait. */
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
  section > svg {
    color: var(--_muted);
  }
  section:is(.approved, .confirming, .checking) > svg {
    color: var(--_accent);
  }
  .approved circle {
    fill: var(--_accent);
  }
  .approved path {
    stroke: var(--_on-accent);
  }
  section p {
    color: var(--_muted);
    margin-block-start: 0.25em;
  }
  section:not([hidden]) ~ :is(button, div) {
    margin-block-start: 0.75em;
  }

  dialog {
    container-type: inline-size;
    /* A page may dim the button, and the element with it. */
    visibility: visible;
    pointer-events: auto;
    inline-size: 100%;
    max-inline-size: none;
    block-size: 100dvh;
    max-block-size: none;
    padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom)
      env(safe-area-inset-left);
    border: 0;
    background: var(--_surface);
    color: var(--_text);
    overflow: hidden;
    overscroll-behavior: contain;
  }
  dialog[open] {
    display: flex;
    flex-direction: column;
  }
  dialog::backdrop {
    background: var(--financing-backdrop, rgb(10 16 22 / 0.55));
  }
  header {
    display: flex;
    flex: none;
    align-items: center;
    gap: 0.75em;
    padding-block: 0.5em;
    padding-inline: 1.25em 0.5em;
    border-block-end: 1px solid var(--_line);
  }
  h2 {
    flex: 1;
    font-size: 1.0625em;
  }
  [part='amount'] {
    color: var(--_muted);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  [part='close'] {
    display: grid;
    flex: none;
    place-items: center;
    inline-size: 2.75em;
    block-size: 2.75em;
    padding: 0;
    border: 0;
    border-radius: var(--_radius);
    background: none;
  }
  [part='close']:hover {
    background: color-mix(in oklab, transparent, currentColor 8%);
  }
  @container (width < 18em) {
    /* Large letters on a small screen: the amount below, for the title is no column of letters. */
    header {
      flex-wrap: wrap;
    }
    [part='amount'] {
      flex: 100%;
      order: 1;
    }
  }
  .stage {
    display: grid;
    /* What is said of a page that is in use is below it, and leaves the most of it in sight. */
    grid-template: minmax(0, 1fr) fit-content(50%) / 100%;
    flex: 1;
    min-block-size: 0;
  }
  .stage > * {
    grid-area: 1 / 1;
  }
  /* A hosted page without a background of its own was drawn for a white one. */
  iframe {
    display: block;
    inline-size: 100%;
    block-size: 100%;
    border: 0;
    outline: none;
    background: #fff;
    color-scheme: light;
  }
  .skeleton {
    padding: 2em 1.5em;
    background: var(--_surface);
  }
  i {
    display: block;
    block-size: 1em;
    margin-block-end: 1em;
    border-radius: 6px;
    background: var(--_line);
  }
  i:nth-child(1) {
    inline-size: 55%;
    block-size: 1.6em;
  }
  i:nth-child(2) {
    inline-size: 80%;
    margin-block-end: 2em;
  }
  i:nth-child(n + 3) {
    block-size: 3em;
  }
  i:last-child {
    margin-block-start: 2em;
  }
  .slow {
    display: grid;
    place-content: safe center center;
    grid-template-columns: minmax(auto, 20em);
    gap: 1em;
    padding: 2em;
    overflow: auto;
    text-align: center;
  }
  .silent {
    grid-row: 2;
    gap: 0.75em;
    padding: 1em;
    border-block-start: 1px solid var(--_line);
  }
  @keyframes breathe {
    50% {
      opacity: 0.45;
    }
  }

  @media (min-width: 640px) and (min-height: 480px) {
    dialog {
      margin: auto;
      inline-size: var(--financing-dialog-width, 34em);
      max-inline-size: calc(100vw - 3em);
      block-size: min(46em, 100dvh - 3em);
      padding: 0;
      border-radius: calc(var(--_radius) * 1.6);
      box-shadow: 0 1.5em 4em rgb(10 16 22 / 0.3);
    }
  }
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
    section > svg,
    .approved path {
      color: CanvasText !important;
      stroke: CanvasText;
    }
    .approved circle {
      fill: none;
    }
  }
`;
