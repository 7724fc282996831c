/**
 * Draws `docs/overview.svg`, the picture of the README: `node scripts/picture.mjs`. A test compares the file with the
 * output.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CALLER = 130;
const AGENT = 480;
const STORE = 690;
const WIDTH = 820;
const ROW = 40;
const TOP = 74;
const CRASH_HEIGHT = 56;

/** One row each: an arrow between two columns, a note beside a column, or the crash. */
const ROWS = [
  { from: CALLER, to: AGENT, text: 'GET /.well-known/agent-card.json' },
  { from: AGENT, to: CALLER, text: 'card: skills, versions, security' },
  { from: CALLER, to: AGENT, text: 'send a message' },
  { from: AGENT, to: STORE, text: 'store the task' },
  { from: AGENT, to: CALLER, text: 'event 1: working', to2: STORE, text2: 'event 1, step 1' },
  { from: AGENT, to: CALLER, text: 'event 2: "Once upon"', to2: STORE, text2: 'event 2' },
  { crash: true },
  { from: STORE, to: AGENT, text: 'resume after step 1' },
  { from: AGENT, to: CALLER, text: 'event 3: " a time …"', to2: STORE, text2: 'event 3' },
  { from: AGENT, to: CALLER, text: 'event 4: completed', to2: STORE, text2: 'event 4' },
];

const STYLE = `
    text { font: 14px ui-sans-serif, system-ui, sans-serif; fill: #1f2328 }
    .head { font-weight: 600; font-size: 15px }
    .small { font-size: 13px; fill: #59636e }
    .box { fill: #f6f8fa; stroke: #8c959f }
    .life { stroke: #8c959f; stroke-dasharray: 3 4 }
    .arrow { stroke: #1f2328; stroke-width: 1.5; marker-end: url(#tip) }
    .tip { fill: #1f2328 }
    .down { fill: #ffebe9; stroke: #cf222e }
    .down-text { fill: #cf222e; font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .small { fill: #9198a1 }
      .box { fill: #151b23; stroke: #656c76 }
      .life { stroke: #656c76 }
      .arrow { stroke: #f0f6fc }
      .tip { fill: #f0f6fc }
      .down { fill: #25171c; stroke: #f85149 }
      .down-text { fill: #f85149 }
    }`;

const TITLE =
  'A caller reads the card of an agent and sends a message. The agent stores the task and streams events. ' +
  'Its process is killed and restarted, and the stream continues with the next event.';

export function drawOverview() {
  const shapes = [];
  let y = TOP;
  for (const row of ROWS) {
    y += ROW;
    if (row.crash) {
      shapes.push(...crash(y));
      y += CRASH_HEIGHT - 24;
      continue;
    }
    shapes.push(...arrow(row.from, row.to, y, row.text));
    if (row.to2 !== undefined) shapes.push(...arrow(row.from, row.to2, y, row.text2));
  }
  const bottom = y + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 16}" role="img" aria-labelledby="title">`,
    `  <title id="title">${TITLE}</title>`,
    `  <style>${STYLE}\n  </style>`,
    '  <defs>',
    '    <marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">',
    '      <path class="tip" d="M0 0 10 5 0 10z"/>',
    '    </marker>',
    '  </defs>',
    ...head(CALLER, 'Caller', 'any A2A version', bottom),
    ...head(AGENT, 'Your agent', 'on Tandem', bottom),
    ...head(STORE, 'Store', 'SQLite or PostgreSQL', bottom),
    ...shapes,
    '</svg>',
    '',
  ].join('\n');
}

function head(x, name, note, bottom) {
  return [
    `  <rect class="box" x="${x - 85}" y="16" width="170" height="50" rx="6"/>`,
    `  <text class="head" x="${x}" y="37" text-anchor="middle">${name}</text>`,
    `  <text class="small" x="${x}" y="56" text-anchor="middle">${note}</text>`,
    `  <line class="life" x1="${x}" y1="66" x2="${x}" y2="${bottom}"/>`,
  ];
}

function arrow(from, to, y, text) {
  const gap = from < to ? 4 : -4;
  return [
    `  <line class="arrow" x1="${from + gap}" y1="${y}" x2="${to - gap}" y2="${y}"/>`,
    `  <text x="${(from + to) / 2}" y="${y - 7}" text-anchor="middle">${escape(text)}</text>`,
  ];
}

function crash(y) {
  return [
    `  <rect class="down" x="${AGENT - 85}" y="${y - 24}" width="170" height="${CRASH_HEIGHT}" rx="6"/>`,
    `  <text class="down-text" x="${AGENT}" y="${y - 1}" text-anchor="middle">kill -9</text>`,
    `  <text class="small" x="${AGENT}" y="${y + 19}" text-anchor="middle">restarted, same store</text>`,
    `  <rect class="box" x="${CALLER - 85}" y="${y - 24}" width="170" height="${CRASH_HEIGHT}" rx="6"/>`,
    `  <text class="small" x="${CALLER}" y="${y - 1}" text-anchor="middle">reconnects and resumes</text>`,
    `  <text class="small" x="${CALLER}" y="${y + 19}" text-anchor="middle">after event 2</text>`,
  ];
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync('docs/overview.svg', drawOverview());
