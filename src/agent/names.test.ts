import { expect, test } from 'vitest';
import { humanise, isId, slug } from './names.ts';

test.each([
  ['summarize', 'Summarize'],
  ['getWeather', 'Get weather'],
  ['get_weather', 'Get weather'],
  ['get-weather', 'Get weather'],
  ['get.weather/now', 'Get weather now'],
  ['GetWeather', 'Get weather'],
  ['GET_WEATHER', 'Get weather'],
  ['get_user-byId', 'Get user by ID'],
  ['mcp__files__read', 'MCP files read'],
  ['HTTPServerStatus', 'HTTP server status'],
  ['parseXYZFile', 'Parse XYZ file'],
  ['base64Encode', 'Base64 encode'],
  ['übersetzeText', 'Übersetze text'],
  ['날씨_보기', '날씨 보기'],
  ['__', '__'],
])('the display name of %s is %s', (name, called) => {
  expect(humanise(name)).toBe(called);
});

test.each([
  ['Translator', 'translator'],
  ['  My  Agent! ', 'my-agent'],
  ['Übersetzer 2', 'ubersetzer-2'],
  ['İstanbul', 'istanbul'],
  ['번역기 A', '번역기-a'],
  ['ﬁne', 'fine'],
  ['../../etc', 'etc'],
  ['a'.repeat(99), 'a'.repeat(64)],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ['\u093E\u0915', 'क'],
  ['🤖', ''],
  ['', ''],
])('the id of %j is %j', (name, id) => {
  expect(slug(name)).toBe(id);
  expect(isId(slug(name))).toBe(id !== '');
});

test.each(['a', 'A-b_c.d', '7', '번역기', 'a'.repeat(64)])('%j can be an id', (id) => {
  expect(isId(id)).toBe(true);
});

test.each(['', '.', '..', '-a', '_a', 'a b', 'a/b', 'a\n', 'a%2f', 'a'.repeat(65), 'u\u0308'])(
  '%j cannot be an id',
  (id) => {
    expect(isId(id)).toBe(false);
  },
);
