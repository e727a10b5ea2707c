//! A model behind HTTP, as focalist's `generate` and other programs ask for it: `/v1/models` and `/v1/completions`.
//!
//! A prompt is the source of `focalist encode`, its tokens joined by spaces; the answer is code. Questions are answered
//! one after the other; a connection is closed after its answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use burn::tensor::backend::Backend;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::encode::{Decoder, is_marker};
use crate::encoded::{self, Line};
use crate::predict::{Options, Speaker};
use crate::trained::Trained;
use crate::vocabulary::Vocabulary;

const HEAD_BYTES_MAX: u64 = 64 * 1024;
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The time limit for a silent connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// The body of a request for completions.
#[derive(Debug, Deserialize)]
struct Question {
    prompt: Prompt,
    #[serde(default)]
    max_tokens: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Prompt {
    One(String),
    Several(Vec<String>),
}

/// The status and the body of a response.
type Said = (u16, Value);

/// Answers until `n_max` connections were served, or for ever without one.
///
/// # Errors
/// None at present: a connection that fails is skipped.
pub fn serve<B: Backend>(
    listener: &TcpListener,
    (name, trained): (&str, &Trained<B>),
    options: &Options,
    device: &B::Device,
    n_max: Option<usize>,
) -> std::io::Result<()> {
    let speaker = Speaker::new(&trained.model, &trained.vocabulary, device);
    let answer = |request: &Request| answer(request, name, &speaker, &trained.vocabulary, options);
    for (n, stream) in listener.incoming().enumerate() {
        // A broken connection concerns its client alone.
        let _ = stream.and_then(|stream| converse(&stream, &answer));
        if n_max.is_some_and(|limit| n + 1 >= limit) {
            break;
        }
    }
    Ok(())
}

struct Request {
    method: String,
    path: String,
    body: Vec<u8>,
}

fn failed(status: u16, message: &str) -> Said {
    let kind = if status < 500 {
        "invalid_request_error"
    } else {
        "server_error"
    };
    (status, json!({"error": {"message": message, "type": kind}}))
}

fn converse(mut stream: &TcpStream, answer: &dyn Fn(&Request) -> Said) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (status, value) = match request(stream)? {
        Ok(request) => answer(&request),
        Err(said) => said,
    };
    let body = value.to_string();
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        _ => "Error",
    };
    write!(
        stream,
        "HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    stream.flush()
}

/// Reads a request; for anything else, the inner error is the response.
fn request(stream: &TcpStream) -> std::io::Result<Result<Request, Said>> {
    let mut reader = BufReader::new(stream);
    let mut head = (&mut reader).take(HEAD_BYTES_MAX);
    let mut line = String::new();
    head.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Ok(Err(failed(400, "not an HTTP request")));
    };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut len = 0;
    let mut waits = false;
    loop {
        line.clear();
        head.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => match value.trim().parse::<usize>() {
                Ok(n) if n <= BODY_BYTES_MAX => len = n,
                _ => return Ok(Err(failed(413, "the question is too long"))),
            },
            "transfer-encoding" => {
                return Ok(Err(failed(
                    400,
                    "say how long the question is: `Content-Length`",
                )));
            }
            "expect" => waits = true,
            _ => {}
        }
    }
    if waits {
        let mut stream = stream;
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut body = vec![0; len];
    reader.read_exact(&mut body)?;
    Ok(Ok(Request { method, path, body }))
}

fn answer<B: Backend>(
    request: &Request,
    name: &str,
    speaker: &Speaker<'_, B>,
    vocabulary: &Vocabulary,
    options: &Options,
) -> Said {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/v1/models") => {
            let model =
                json!({"id": name, "object": "model", "created": 0, "owned_by": "focalist"});
            (200, json!({"object": "list", "data": [model]}))
        }
        ("POST", "/v1/completions") => match serde_json::from_slice::<Question>(&request.body) {
            Ok(question) => (200, complete(&question, name, speaker, vocabulary, options)),
            Err(error) => failed(400, &format!("no question: {error}")),
        },
        (_, "/v1/models" | "/v1/completions") => failed(405, "no such method here"),
        _ => failed(404, "there are /v1/models and /v1/completions"),
    }
}

fn complete<B: Backend>(
    question: &Question,
    name: &str,
    speaker: &Speaker<'_, B>,
    vocabulary: &Vocabulary,
    options: &Options,
) -> Value {
    let prompts: Vec<&str> = match &question.prompt {
        Prompt::One(prompt) => vec![prompt],
        Prompt::Several(prompts) => prompts.iter().map(String::as_str).collect(),
    };
    let options = Options {
        target_max: question
            .max_tokens
            .unwrap_or(options.target_max)
            .clamp(1, options.target_max),
        ..*options
    };
    let mut decoder = Decoder::new();
    let (mut n_prompt, mut n_completion) = (0, 0);
    let mut choices = Vec::with_capacity(prompts.len());
    for (index, prompt) in prompts.into_iter().enumerate() {
        let line = Line {
            sample: index.to_string(),
            source: tokens(prompt),
            target: Vec::new(),
        };
        let mut sample = encoded::sample(&line, vocabulary, speaker.prompt());
        if sample.source.is_empty() {
            sample.source.push(vocabulary.end());
        }
        n_prompt += sample.source.len() + sample.context.len();
        for answer in speaker.answer(&[&sample], &options) {
            n_completion += answer.ids.len();
            let tokens = vocabulary.join(&answer.ids);
            let text = match decoder.decode(tokens.iter().map(String::as_str)) {
                Ok((code, _)) => code.to_owned(),
                // An answer that is not code is sent as its tokens: the client decides what it is worth.
                Err(_) => tokens.join(" "),
            };
            let reason = if answer.is_whole { "stop" } else { "length" };
            choices.push(json!({
                "index": index, "text": text, "logprobs": null, "finish_reason": reason,
            }));
        }
    }
    json!({
        "id": "cmpl-0", "object": "text_completion", "created": 0, "model": name, "choices": choices,
        "usage": {
            "prompt_tokens": n_prompt, "completion_tokens": n_completion,
            "total_tokens": n_prompt + n_completion,
        },
    })
}

/// Splits a prompt into tokens at spaces, but not inside literals, which end with the quote that opened them.
fn tokens(prompt: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for word in prompt.split(' ') {
        let Some(token) = &mut open else {
            if begins_literal(word) && !is_closed(word) {
                open = Some(word.to_owned());
            } else if !word.is_empty() {
                tokens.push(word.to_owned());
            }
            continue;
        };
        token.push(' ');
        token.push_str(word);
        if is_closed(token) {
            tokens.extend(open.take());
        }
    }
    // A quote that is never closed begins no literal.
    if let Some(rest) = open {
        tokens.extend(
            rest.split(' ')
                .filter(|token| !token.is_empty())
                .map(str::to_owned),
        );
    }
    tokens
}

fn begins_literal(word: &str) -> bool {
    word.starts_with(['"', '\'']) && !is_marker(word)
}

/// Tells whether a literal ends with the quote that opened it, without a backslash before it.
fn is_closed(literal: &str) -> bool {
    let quote = if literal.starts_with("\"\"\"") {
        "\"\"\""
    } else {
        &literal[..1]
    };
    let Some(inner) = literal
        .strip_prefix(quote)
        .and_then(|rest| rest.strip_suffix(quote))
    else {
        return false;
    };
    let n_slashes = inner.chars().rev().take_while(|c| *c == '\\').count();
    n_slashes % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn a_literal_with_spaces_is_one_token() {
        assert_eq!(
            tokens("<[block]> \"a b\" \"\" ' ' \"c\\\" d\" x \"\"\"e f\"\"\" <[/block]>"),
            [
                "<[block]>",
                "\"a b\"",
                "\"\"",
                "' '",
                "\"c\\\" d\"",
                "x",
                "\"\"\"e f\"\"\"",
                "<[/block]>"
            ]
        );
        assert_eq!(tokens("\"a b c"), ["\"a", "b", "c"]);
    }
}
