/** One named metric with all its series, one for each combination of label values. */
abstract class Family<Series> {
  readonly name: string;
  readonly labels: readonly string[];
  readonly #help: string;
  readonly #type: 'counter' | 'histogram';
  /** One level per label, so that finding a series does not build a key. */
  readonly #tree = new Map<string, unknown>();
  readonly #all: { readonly values: readonly string[]; readonly series: Series }[] = [];

  constructor(name: string, help: string, type: 'counter' | 'histogram', labels: readonly string[]) {
    this.name = name;
    this.#help = help;
    this.#type = type;
    this.labels = labels;
  }

  /** Finds or creates the series of these label values, given in the order of the labels. Values must come from a bounded set. */
  of(...values: readonly string[]): Series {
    let node = this.#tree;
    const last = values.length - 1;
    for (let i = 0; i < last; i++) {
      const value = values[i] as string;
      let next = node.get(value) as Map<string, unknown> | undefined;
      if (next === undefined) node.set(value, (next = new Map<string, unknown>()));
      node = next;
    }
    const value = values[last] ?? '';
    const known = node.get(value) as Series | undefined;
    if (known !== undefined) return known;
    const series = this.create();
    node.set(value, series);
    this.#all.push({ values, series });
    return series;
  }

  text(): string {
    const lines = this.#all.map(({ values, series }) => this.lines(series, labelText(this.labels, values)));
    return headText(this.name, this.#help, this.#type) + lines.join('');
  }

  protected abstract create(): Series;
  /** @param labels The text between the braces. */
  protected abstract lines(series: Series, labels: string): string;
}

/** A number that only increases. */
export class Count {
  value = 0;

  add(count = 1): void {
    this.value += count;
  }
}

export class Counter extends Family<Count> {
  constructor(name: string, help: string, labels: readonly string[]) {
    super(name, help, 'counter', labels);
  }

  protected create(): Count {
    return new Count();
  }

  protected lines({ value }: Count, labels: string): string {
    return lineText(this.name, labels, value);
  }
}

/** The upper bounds of the histogram buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export class Durations {
  readonly buckets = BUCKETS.map(() => 0);
  sum = 0;
  count = 0;

  observe(seconds: number): void {
    this.sum += seconds;
    this.count++;
    for (let i = 0; i < BUCKETS.length; i++) {
      if (seconds > (BUCKETS[i] as number)) continue;
      this.buckets[i] = (this.buckets[i] as number) + 1;
      break;
    }
  }
}

export class Histogram extends Family<Durations> {
  constructor(name: string, help: string, labels: readonly string[]) {
    super(name, help, 'histogram', labels);
  }

  protected create(): Durations {
    return new Durations();
  }

  protected lines({ buckets, sum, count }: Durations, labels: string): string {
    let below = 0;
    const lines = BUCKETS.map((bound, i) => {
      below += buckets[i] ?? 0;
      return lineText(`${this.name}_bucket`, joined(labels, `le="${bound}"`), below);
    });
    const all = lineText(`${this.name}_bucket`, joined(labels, 'le="+Inf"'), count);
    const ends = lineText(`${this.name}_sum`, labels, sum) + lineText(`${this.name}_count`, labels, count);
    return lines.join('') + all + ends;
  }
}

export function headText(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

export function lineText(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
}

export function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function joined(labels: string, more: string): string {
  return labels === '' ? more : `${labels},${more}`;
}
