// visible writes out the characters that are not seen, or that change the order of others.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
export const visible = (text) => text.replace(hidden, (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0"));
